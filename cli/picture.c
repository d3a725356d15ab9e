/* onyx view --svg, --png: the page draws its pictures in a browser, so a browser without a window makes the
 * file: Chromium. The page, opened with #only=PANEL, becomes the picture of that panel alone. */
#include "cli/picture.h"
#include "cli/record.h"
#include "support/number.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { WIDTH = 1400, HEIGHT = 1000 }; /* of the window in which the page is laid out */

/* A run of the browser: its profile is in the folder `work`, what it prints goes into `out`. */
typedef struct {
    const char *work, *out;
    uint32_t wide, high;
} browsing;

/* Runs the first browser there is. */
static bool browse(cli_session *s, const browsing *b, const char *what, const char *address) {
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    arena *mem = &s->mem;
    int status = PROGRAM_MISSING;
    const char *profile = arena_printf(mem, "--user-data-dir=%s/profile", b->work);
    const char *size = arena_printf(mem, "--window-size=%u,%u", b->wide, b->high);
    progress_stage(s->progress.to, "drawing in a browser", 0);
    for (size_t i = 0; i < sizeof names / sizeof *names && status == PROGRAM_MISSING; i++) {
        /* Chromium refuses to confine itself where root asks, as in a container. */
        const char *const confined = geteuid() == 0 ? "--no-sandbox" : "--disable-extensions";
        const char *const argv[] = {names[i],
                                    "--headless=new",
                                    "--disable-gpu",
                                    "--disable-dev-shm-usage",
                                    "--hide-scrollbars",
                                    "--force-device-scale-factor=2",
                                    confined,
                                    profile,
                                    size,
                                    what,
                                    address,
                                    NULL};
        status = program_run(argv, b->out);
    }
    s->compile.interrupted = s->compile.interrupted || status == -SIGINT;
    if (status == 0)
        return true;
    diag_error(&s->diag, (src_loc){0}, "E0930-tool",
               status == PROGRAM_MISSING ? "--svg and --png want Chromium, which is not installed"
                                         : "Chromium ended with %d",
               status);
    return diag_hint(&s->diag,
                     "apt install chromium; or open the page and press SVG or PNG above the picture");
}

/* Cuts the picture out of what the browser printed; NULL where the page has none. */
static char *cut(char *text) {
    char *begin = text ? strstr(text, "<body class=\"only\">") : NULL, *end = NULL;
    begin = begin ? strstr(begin, "<svg") : NULL;
    for (char *at = begin; at && (at = strstr(at, "</svg>")); at++)
        end = at + strlen("</svg>");
    if (!end)
        return NULL;
    *end = '\0';
    return begin;
}

static uint32_t side(const char *svg, const char *name) {
    const char *at = strstr(svg, name);
    const double side = at ? number_read(at + strlen(name), NULL) : 0;
    return side >= 1 && side < 32768 ? (uint32_t)side + 1 : 1;
}

static bool write_text(cli_session *s, const char *path, const char *text) {
    file_out f;
    if (!file_create(&f, path, &s->mem, &s->diag))
        return false;
    fprintf(f.stream, "%s\n", text);
    return file_commit(&f, &s->diag);
}

static bool draw(cli_session *s, const char *page, const char *work, const char *to) {
    const command_line *o = &s->options;
    const char *panel = o->view.svg ? o->view.svg : o->view.png;
    const char *dumped = arena_printf(&s->mem, "%s/page.html", work);
    const char *picture = arena_printf(&s->mem, "%s/panel.svg", work);
    const char *address = arena_printf(&s->mem, "file://%s#only=%s", record_absolute(s, page), panel);
    size_t length;
    if (!browse(s, &(browsing){work, dumped, WIDTH, HEIGHT}, "--dump-dom", address))
        return false;
    char *svg = cut(file_read(dumped, &s->mem, &length, &s->diag));
    if (!svg) {
        diag_error(&s->diag, (src_loc){0}, "E0950-not-compiled", "the page has no picture '%s'", panel);
        return diag_hint(&s->diag,
                         "a roofline and a time line are of runs with engine cycle, graphs want Graphviz");
    }
    if (o->view.svg)
        return write_text(s, to, svg);
    const browsing shot = {work, "/dev/null", side(svg, " width=\""), side(svg, " height=\"")};
    return write_text(s, picture, svg) && browse(s, &shot, arena_printf(&s->mem, "--screenshot=%s", to),
                                                 arena_printf(&s->mem, "file://%s", picture));
}

bool cli_picture(cli_session *s, const char *page, const char *folder) {
    const command_line *o = &s->options;
    const char *temporary = getenv("TMPDIR"), *to = o->compile.files.out;
    char *work = arena_printf(&s->mem, "%s/onyx-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (o->view.svg && o->view.png) {
        diag_error(&s->diag, (src_loc){0}, "E0902-option", "--svg and --png at once");
        return diag_hint(&s->diag, "one picture a command");
    }
    if (!to)
        to = o->view.svg ? arena_printf(&s->mem, "%s/%s.svg", folder, o->view.svg)
                         : arena_printf(&s->mem, "%s/%s.png", folder, o->view.png);
    if (!mkdtemp(work))
        return diag_error(&s->diag, (src_loc){0}, "E0004-write", "cannot make a folder such as '%s': %s",
                          work, strerror(errno));
    bool ok = draw(s, page, work, to);
    remove_folder(work);
    if (ok && !o->every.quiet)
        printf("%s\n", to);
    return ok;
}
