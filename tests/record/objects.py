"""Compiled objects of one build folder for a build of another commit's tree: what compiles the same need not be compiled again."""
import json
import os
import re
import shlex
import shutil

INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.M)


def commands(source, build):
    """The compiler's words, by (file, object), each from the root of its folder; optimisation, warnings and debug information left out."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        made = os.path.normpath(os.path.join(entry["directory"], words[words.index("-o") + 1]))
        words = words[next(i for i, word in enumerate(words) if word.startswith("-")):words.index("-o")]
        key = (entry["file"].removeprefix(f"{source}/"), os.path.relpath(made, build))
        found[key] = {word for word in words if not re.match(r"-[OgW]|-DNDEBUG", word)}
    return found


def texts_of(name, tree, known):
    """The texts that a file of the tree includes, its own among them, by name; None for those that are not in the tree."""
    todo, found = [(name,)], {}
    while todo:
        places = todo.pop()
        for place in places:
            if place not in known:
                known[place] = (tree / place).read_bytes() if (tree / place).is_file() else None
        name = next((place for place in places if known[place] is not None), places[0])
        if name in found:
            continue
        found[name] = known[name]
        for included in INCLUDE.findall(known[name] or b""):
            included = included.decode()
            todo.append((included, os.path.normpath(os.path.join(os.path.dirname(name), included))))
    return found


def newer(made, files):
    return made.is_file() and made.stat().st_mtime > max(file.stat().st_mtime for file in files)


def same(mine, theirs, texts):
    """Whether commands differ in nothing but definitions, with a path as a rule, that no text has."""
    differing = mine ^ theirs
    names = {match[1].encode() for match in (re.match(r"-D(\w+)", word) for word in differing) if match}
    return all(word.startswith("-D") for word in differing) and not any(name in (text or b"") for name in names for text in texts.values())


def take(source, build, tree, made):
    """Copies objects of `build`, made of `source`, into the configured build `made` of `tree`: of files whose texts and commands are the
    same. A file with a text from elsewhere, as a build folder, keeps that folder's name. Returns the number of objects."""
    here, there, known, other, count = commands(source, build), commands(tree, made), {}, {}, 0
    for key in sorted(here.keys() & there.keys()):
        texts = texts_of(key[0], tree, known)
        if texts != texts_of(key[0], source, other) or not newer(build / key[1], [source / name for name in texts if texts[name] is not None]):
            continue
        kept = None in texts.values()
        mine = {f"-I{tree}" if word == f"-I{source}" else word if kept else word.replace(f"-I{build}", f"-I{made}") for word in here[key]}
        if same(mine, there[key], texts):
            (made / key[1]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(build / key[1], made / key[1])
            count += 1
    return count
