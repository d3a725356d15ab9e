"""What scripts here expect: each thing that is otherwise is printed, and listed."""
wrong = []


def expect(what, got, want):
    if got != want:
        wrong.append(what)
        print(f"{what}: {got}, not {want}")
