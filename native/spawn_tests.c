/*
 * Tests of picollo_spawn, by its protocol: spawn_tests <word...>, the words being what starts it (an emulator first, if need be).
 * Prints a count; the exit code is 1 when something failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int passed, failed;
static char **starter; /* the words, and a null */
static int ignores_child_end; /* whether picollo_spawn is started with SIGCHLD ignored */
static char folder[] = "/tmp/picollo-spawn-XXXXXX";

static void check(int ok, const char *what) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("  FAILED: %s\n", what);
    }
}

/* As picollo_spawn.c has it, with the C library's types. */
struct report {
    long ended, status, exec_error, start, end;
    long usage_before[18], usage[18]; /* the kernel's struct rusage; musl's own is longer */
};
enum { USER = 0, KERNEL = 2, MAX_RESIDENT = 4, MINOR_FAULTS = 8 }; /* times are seconds and microseconds */

struct spawned {
    pid_t spawner;
    int control, report;
    long id; /* 0 where none came */
};

/* Starts a command, to where it is held. */
static struct spawned start(const char *options, char *const command[]) {
    int control[2], report[2];
    if (pipe2(control, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
        abort();
    struct spawned s = {fork(), control[1], report[0], 0};
    if (s.spawner == 0) {
        char numbers[2][12], *words[32];
        int count = 0;
        for (char **word = starter; *word; word++)
            words[count++] = *word;
        snprintf(numbers[0], sizeof numbers[0], "%d", control[0]);
        snprintf(numbers[1], sizeof numbers[1], "%d", report[1]);
        words[count++] = numbers[0], words[count++] = numbers[1], words[count++] = (char *)options;
        for (; *command; command++)
            words[count++] = *command;
        words[count] = NULL;
        if (ignores_child_end)
            signal(SIGCHLD, SIG_IGN);
        fcntl(control[0], F_SETFD, 0), fcntl(report[1], F_SETFD, 0);
        execv(words[0], words);
        _exit(99);
    }

    close(control[0]), close(report[1]);
    if (read(s.report, &s.id, sizeof s.id) != sizeof s.id)
        s.id = 0;
    return s;
}

static void send_byte(struct spawned s, char byte) {
    if (write(s.control, &byte, 1) != 1)
        check(0, "the control pipe is read");
}

/* Whether a report came; takes the spawner's exit code along. */
static int end(struct spawned s, struct report *report, int *code) {
    struct pollfd readable = {s.report, POLLIN, 0};
    if (poll(&readable, 1, 30000) == 0)
        kill(s.spawner, SIGKILL); /* it hangs */
    int came = read(s.report, report, sizeof *report) == sizeof *report, status;
    close(s.control), close(s.report);
    waitpid(s.spawner, &status, 0);
    if (code)
        *code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return came;
}

static struct report run(const char *options, char *const command[]) {
    struct report report;
    memset(&report, -1, sizeof report);
    struct spawned s = start(options, command);
    send_byte(s, 0);
    check(end(s, &report, NULL) && report.ended == 0, "a report comes");
    return report;
}

static struct report shell(const char *options, char *script) { return run(options, (char *[]){"/bin/sh", "-c", script, NULL}); }

static char *in_folder(const char *name) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int exists(const char *path) { return access(path, F_OK) == 0; }

static void pause_a_little(void) { usleep(20000); }

/* Within ten seconds. */
static int comes(int (*holds)(void)) {
    for (int i = 0; i < 500 && !holds(); i++)
        pause_a_little();
    return holds();
}

static int is_ready(void) { return exists(in_folder("ready")); }

/* Whether the process whose number is in the file is there, and no zombie. */
static int left_has_ended(void) {
    char text[512] = "";
    long id = 0;
    FILE *file = fopen(in_folder("id"), "r");
    if (!file || fscanf(file, "%ld", &id) != 1)
        return 0;
    fclose(file);
    snprintf(text, sizeof text, "/proc/%ld/stat", id);
    if (!(file = fopen(text, "r")))
        return 1;
    text[0] = '\0';
    int is_gone = !fgets(text, sizeof text, file) || strstr(text, ") Z ") != NULL;
    fclose(file);
    return is_gone;
}

static void write_file(const char *path, const char *text, mode_t mode) {
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    chmod(path, mode);
}

static void test_held(void) {
    struct spawned s = start("-", (char *[]){"/bin/sh", "-c", "echo $$ > there", NULL});
    struct report report;
    long id = 0;
    check(s.id > 0 && kill((pid_t)s.id, 0) == 0, "the id is a process's");
    pause_a_little();
    check(!exists("there"), "it is held");
    send_byte(s, 0);
    check(end(s, &report, NULL), "it is let go, and a report comes");
    FILE *file = fopen("there", "r");
    check(file && fscanf(file, "%ld", &id) == 1 && id == s.id, "the id is the command's");
    check(report.start > 0 && report.end > report.start && report.end - report.start < 10000000000, "the times are of one clock");
}

static void test_endings(void) {
    struct report report = shell("-", "exit 7");
    check(WIFEXITED(report.status) && WEXITSTATUS(report.status) == 7 && report.exec_error == 0, "an exit code");
    report = shell("-", "kill -KILL $$");
    check(WIFSIGNALED(report.status) && WTERMSIG(report.status) == SIGKILL, "a signal");
    report = shell("-", "kill -INT $$; exit 3");
    check(WIFSIGNALED(report.status) && WTERMSIG(report.status) == SIGINT, "what the spawner ignores the command does not");
    report = shell("-", "kill -PIPE $$; exit 3");
    check(WIFSIGNALED(report.status) && WTERMSIG(report.status) == SIGPIPE, "nor what its parent ignores");
    report = shell("-", "(exit 0); [ \"$(sed -n 's/^SigBlk:[^0-9]*//p' /proc/self/status)\" = 0000000000000000 ]");
    check(report.status == 0, "nothing is blocked");
}

/* The mask has 16 digits; SIGCHLD is the lowest bit of the fifth from the right. No shell: some install a handler for SIGCHLD. */
static void test_ignored_child_end(void) {
    struct report report;
    ignores_child_end = 1;
    struct spawned s = start("-", (char *[]){"grep", "-Eq", "^SigIgn:.*[13579bdf].{4}$", "/proc/self/status", NULL});
    ignores_child_end = 0;
    send_byte(s, 0);
    check(end(s, &report, NULL), "a report comes where SIGCHLD is inherited as ignored");
    check(WIFEXITED(report.status) && WEXITSTATUS(report.status) == 0, "SIGCHLD stays ignored for the command");
}

/* Not under an emulator, which has a size and takes time itself. */
static void test_usage(void) {
    struct report report = shell("-", "exec 2>/dev/null; (ulimit -t 1; while :; do :; done)");
    long user = report.usage[USER] * 1000000 + report.usage[USER + 1];
    long kernel = report.usage[KERNEL] * 1000000 + report.usage[KERNEL + 1];
    /* The kernel ends it by ticks: 0.85 s have been seen. */
    check(user + kernel > 600000 && user + kernel < 1400000, "processor time of children counts");
    check(report.end - report.start > 600000000, "and takes as long at least");
    check(report.usage_before[MINOR_FAULTS] <= report.usage[MINOR_FAULTS] && report.usage_before[MINOR_FAULTS] > 0, "what was before is known");
    report = run("-", (char *[]){"true", NULL});
    check(report.usage[MAX_RESIDENT] > 100 && report.usage[MAX_RESIDENT] < 8192, "a small command is small");
}

/* Finding the command, in `place`, by a PATH. */
static struct report by_path(const char *path, char *name) {
    path ? setenv("PATH", path, 1) : unsetenv("PATH");
    struct report report = run("-", (char *[]){name, "4", NULL});
    setenv("PATH", "/usr/bin:/bin", 1);
    return report;
}

static void test_search(void) {
    char path[8192];
    mkdir("first", 0755), mkdir("second", 0755);
    write_file("first/command", "exit 1", 0644);
    write_file("second/command", "#!/bin/sh\nexit $1", 0755);
    write_file("second/bare", "exit $(($1 + 1))", 0755);
    write_file("here", "exit 9", 0755);
    snprintf(path, sizeof path, "%s/none:%s/first:%s/second", folder, folder, folder);
    check(WEXITSTATUS(by_path(path, "command").status) == 4, "the first that can be executed");
    check(WEXITSTATUS(by_path(path, "bare").status) == 5, "a script without a first line is the shell's, with its arguments");
    check(by_path("first", "command").exec_error == EACCES, "one that is there and cannot be executed");
    check(by_path(path, "none-of-this-name").exec_error == ENOENT, "one that is nowhere");
    check(WEXITSTATUS(by_path("/none:", "here").status) == 9, "nothing after a colon is here");
    check(WEXITSTATUS(by_path("", "here").status) == 9, "nothing at all is, too");
    check(WEXITSTATUS(by_path(NULL, "true").status) == 0, "without a PATH there is the usual one");
    memset(path, 'x', 5000), strcpy(path + 5000, ":second");
    check(WEXITSTATUS(by_path(path, "command").status) == 4, "a part that is too long is passed over");
    check(run("-", (char *[]){"second/none", NULL}).exec_error == ENOENT, "a path that leads nowhere");
    check(run("-", (char *[]){"/", NULL}).exec_error == EACCES, "a folder");
    check(run("-", (char *[]){"", NULL}).exec_error == ENOENT, "no name");
    check(run("-", (char *[]){"here", NULL}).exec_error == ENOENT, "a name without a slash is looked for on the PATH alone");
}

static void test_control(void) {
    struct report report;
    struct spawned s = start("-", (char *[]){"sleep", "81", NULL});
    send_byte(s, 0), send_byte(s, SIGTERM);
    check(end(s, &report, NULL) && WTERMSIG(report.status) == SIGTERM, "a signal is handed on");

    int code = 0;
    s = start("-", (char *[]){"sleep", "82", NULL});
    send_byte(s, 0);
    close(s.control), s.control = dup(0);
    check(!end(s, &report, &code) && code == 1 && kill((pid_t)s.id, 0) != 0, "the end of the pipe is the command's");

    s = start("-", (char *[]){"sleep", "83", NULL});
    close(s.control), s.control = dup(0);
    check(!end(s, &report, &code) && kill((pid_t)s.id, 0) != 0, "also while it is held");

    s = start("-", (char *[]){"sleep", "0.2", NULL});
    send_byte(s, 0);
    for (int signal = 1; signal <= 15; signal++) {
        if (signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM)
            kill(s.spawner, signal);
    }

    check(end(s, &report, &code) && report.status == 0 && code == 0, "signals to the group are the command's affair");

    s = start("-", (char *[]){"/bin/sh", "-c", ": > ready; exec sleep 84", NULL});
    send_byte(s, 0);
    check(comes(is_ready), "it runs");
    unlink(in_folder("ready"));
    kill(s.spawner, SIGKILL);
    check(!end(s, &report, &code) && code == -SIGKILL, "a killed spawner tells nothing");
    write_file(in_folder("id"), "", 0644);
    FILE *file = fopen(in_folder("id"), "w");
    fprintf(file, "%ld", s.id);
    fclose(file);
    check(comes(left_has_ended), "and the command goes with it");
}

static void test_groups(void) {
    struct report report;
    unlink(in_folder("id"));
    struct spawned s = start("s", (char *[]){"/bin/sh", "-c", "sleep 85 & echo $! > id; : > ready; wait", NULL});
    send_byte(s, 0);
    check(comes(is_ready) && getpgid((pid_t)s.id) == s.id && getsid((pid_t)s.id) == s.id, "a session of its own");
    send_byte(s, SIGINT); /* ignored by what a shell starts in the background; hence the next check */
    check(end(s, &report, NULL) && WTERMSIG(report.status) == SIGINT, "a signal goes to the group");
    check(comes(left_has_ended), "what is left of the group is killed");
    check(getpgid(0) == getpgrp(), "and nobody else is"); /* we are still here */

    unlink(in_folder("id"));
    report = shell("-", "sleep 86 & echo $! > id");
    check(report.status == 0 && !left_has_ended(), "without a group what is left stays");
    long id = 0;
    FILE *file = fopen("id", "r");
    if (file && fscanf(file, "%ld", &id) == 1 && id > 1)
        kill((pid_t)id, SIGKILL);
    if (file)
        fclose(file);

    s = start("s", (char *[]){"/bin/sh", "-c", "kill -STOP $$; exit 6", NULL});
    send_byte(s, 0), pause_a_little(), pause_a_little(), pause_a_little(), pause_a_little();
    send_byte(s, SIGCONT);
    check(end(s, &report, NULL) && WEXITSTATUS(report.status) == 6, "a stop is no end");
}

/* Field 41 of /proc/[pid]/stat is the policy. */
static void test_scheduling(void) {
    static char script[] = "read -r _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ policy _ < /proc/self/stat; exit $policy";
    struct sched_param priority = {0};
    priority.sched_priority = 1;
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
        printf("  not run: the command's scheduling, as real-time scheduling is not permitted here\n");
        return;
    }

    struct report inherited = shell("--", script), normal = shell("-n", script), grouped = shell("sn", script);
    priority.sched_priority = 0;
    sched_setscheduler(0, SCHED_OTHER, &priority);
    check(WEXITSTATUS(inherited.status) == SCHED_FIFO, "a real-time policy is inherited");
    check(WEXITSTATUS(normal.status) == SCHED_OTHER && WEXITSTATUS(grouped.status) == SCHED_OTHER, "unless the normal one is asked for");
}

static void test_misuse(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        execv(starter[0], starter);
        _exit(99);
    }

    waitpid(child, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 2, "without arguments it refuses");
}

int main(int count, char **words) {
    if (count < 2 || !mkdtemp(folder) || chdir(folder))
        return 2;
    starter = words + 1;
    signal(SIGPIPE, SIG_IGN); /* as .NET does */
    setenv("PATH", "/usr/bin:/bin", 1);
    test_held();
    test_endings();
    test_ignored_child_end();
    if (count == 2)
        test_usage();
    test_search();
    test_control();
    test_groups();
    test_scheduling();
    test_misuse();
    printf("  %d checks passed, %d failed\n", passed, failed);
    char remove[64];
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    return system(remove) != 0 || failed > 0;
}
