/*
 * Tests picollo_spawn through its protocol: spawn_tests <argument...>, with the arguments that start it (an emulator first, if needed).
 * The program prints the number of checks, and exits with 1 after a failure.
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
#include <time.h>
#include <unistd.h>

static int passed, failed;
static char **starter; /* the arguments and a NULL */
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

/* The struct of picollo_spawn.c with the types of the C library. */
struct report {
    long ended, status, exec_error, start, end;
    long usage_before[18], usage[18]; /* the kernel's struct rusage; musl's own is longer */
};
enum { USER = 0, KERNEL = 2, MAX_RESIDENT = 4, MINOR_FAULTS = 8 }; /* times are seconds and microseconds */

struct spawned {
    pid_t spawner;
    int control, report;
    long id; /* 0 if none arrived */
};

/* Starts a command, which is then held. */
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
        check(0, "the control pipe can be written");
}

/* Returns whether a report arrived. Also returns the exit code of picollo_spawn. */
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
    check(end(s, &report, NULL) && report.ended == 0, "a report arrives");
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

/* Ignored and blocked signals are inherited, for example from nohup or a background job of a shell. */
static void reset_signals(void) {
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Waits up to ten seconds for a condition, and returns whether it holds. */
static int becomes_true(int (*holds)(void)) {
    for (int i = 0; i < 500 && !holds(); i++)
        pause_a_little();
    return holds();
}

static int is_ready(void) { return exists(in_folder("ready")); }

/* Returns whether a process has a state of proc_pid_stat(5), or no longer exists. */
static int has_state(long id, char state) {
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", id);
    FILE *file = fopen(path, "r");
    int is_gone = !file || !fgets(text, sizeof text, file);
    if (file)
        fclose(file);
    const char *end = strrchr(text, ')');
    return is_gone || (end && end[2] == state);
}

static long stopping;
static int has_stopped(void) { return has_state(stopping, 'T'); }

/* Returns whether the process with the ID in the file has exited or is a zombie. */
static int rest_has_ended(void) {
    long id = 0;
    FILE *file = fopen(in_folder("id"), "r");
    int is_known = file && fscanf(file, "%ld", &id) == 1;
    if (file)
        fclose(file);
    return is_known && has_state(id, 'Z');
}

static void write_file(const char *path, const char *text, mode_t mode) {
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    chmod(path, mode);
}

static void test_held(void) {
    long before = now();
    struct spawned s = start("-", (char *[]){"/bin/sh", "-c", "echo $$ > there", NULL});
    struct report report;
    long id = 0;
    check(s.id > 0 && kill((pid_t)s.id, 0) == 0, "the reported ID is the ID of a process");
    pause_a_little();
    check(!exists("there"), "a started command is held");
    send_byte(s, 0);
    check(end(s, &report, NULL), "a held command is released, and a report arrives");
    FILE *file = fopen("there", "r");
    check(file && fscanf(file, "%ld", &id) == 1 && id == s.id, "the reported ID is the ID of the command");
    check(report.start > before && report.end > report.start && report.end < now(), "the start and end times are from the monotonic clock");
}

static void test_endings(void) {
    struct report report = shell("-", "exit 7");
    check(WIFEXITED(report.status) && WEXITSTATUS(report.status) == 7 && report.exec_error == 0, "an exit code is reported");
    report = shell("-", "kill -KILL $$");
    check(WIFSIGNALED(report.status) && WTERMSIG(report.status) == SIGKILL, "the signal that ended the command is reported");
    report = shell("-", "kill -INT $$; exit 3");
    check(WIFSIGNALED(report.status) && WTERMSIG(report.status) == SIGINT, "the command does not ignore the signals that the spawner ignores");
    report = shell("-", "kill -PIPE $$; exit 3");
    check(WIFSIGNALED(report.status) && WTERMSIG(report.status) == SIGPIPE, "the command does not ignore SIGPIPE, which its parent ignores");
    report = shell("-", "(exit 0); [ \"$(sed -n 's/^SigBlk:[^0-9]*//p' /proc/self/status)\" = 0000000000000000 ]");
    check(report.status == 0, "no signal is blocked in the command");
}

/* The mask has 16 digits; SIGCHLD is the lowest bit of the fifth digit from the right. The command is not a shell, because some shells
   install a handler for SIGCHLD. */
static void test_ignored_child_end(void) {
    struct report report;
    ignores_child_end = 1;
    struct spawned s = start("-", (char *[]){"grep", "-Eq", "^SigIgn:.*[13579bdf].{4}$", "/proc/self/status", NULL});
    ignores_child_end = 0;
    send_byte(s, 0);
    check(end(s, &report, NULL), "a report arrives if SIGCHLD is inherited as ignored");
    check(WIFEXITED(report.status) && WEXITSTATUS(report.status) == 0, "SIGCHLD remains ignored in the command");
}

/* Does not run under an emulator, which itself needs memory and time. */
static void test_usage(void) {
    struct report report = shell("-", "exec 2>/dev/null; (ulimit -t 1; while :; do :; done)");
    long user = report.usage[USER] * 1000000 + report.usage[USER + 1];
    long kernel = report.usage[KERNEL] * 1000000 + report.usage[KERNEL + 1];
    /* The kernel counts the limit in ticks; 0.85 s were measured. */
    check(user + kernel > 600000 && user + kernel < 1400000, "the CPU time of the command includes its children");
    check(report.end - report.start > 600000000, "the wall time is at least 0.6 s");
    check(report.usage_before[MINOR_FAULTS] <= report.usage[MINOR_FAULTS] && report.usage_before[MINOR_FAULTS] > 0, "the usage before execve is reported");
    report = run("-", (char *[]){"true", NULL});
    check(report.usage[MAX_RESIDENT] > 100 && report.usage[MAX_RESIDENT] < 8192, "a small command has a small resident size");
}

/* Runs a command that is found with a given PATH. */
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
    check(WEXITSTATUS(by_path(path, "command").status) == 4, "the first executable file is used");
    check(WEXITSTATUS(by_path(path, "bare").status) == 5, "a script without #! is run by the shell with its arguments");
    check(by_path("first", "command").exec_error == EACCES, "a file that is not executable is reported");
    check(by_path(path, "none-of-this-name").exec_error == ENOENT, "a missing file is reported");
    check(WEXITSTATUS(by_path("/none:", "here").status) == 9, "an empty entry after a colon is the current directory");
    check(WEXITSTATUS(by_path("", "here").status) == 9, "an empty PATH is the current directory");
    check(WEXITSTATUS(by_path(NULL, "true").status) == 0, "without a PATH, the default path is searched");
    memset(path, 'x', 5000), strcpy(path + 5000, ":second");
    check(WEXITSTATUS(by_path(path, "command").status) == 4, "an entry that is too long is skipped");
    check(run("-", (char *[]){"second/none", NULL}).exec_error == ENOENT, "a path to a missing file is reported");
    check(run("-", (char *[]){"/", NULL}).exec_error == EACCES, "a directory is reported as not executable");
    check(run("-", (char *[]){"", NULL}).exec_error == ENOENT, "an empty name is reported");
    check(run("-", (char *[]){"here", NULL}).exec_error == ENOENT, "a name without a slash is searched for only in the PATH");
}

static void test_control(void) {
    struct report report;
    struct spawned s = start("-", (char *[]){"sleep", "81", NULL});
    send_byte(s, 0), send_byte(s, SIGTERM);
    check(end(s, &report, NULL) && WTERMSIG(report.status) == SIGTERM, "a signal is forwarded");

    int code = 0;
    s = start("-", (char *[]){"sleep", "82", NULL});
    send_byte(s, 0);
    close(s.control), s.control = -1;
    check(!end(s, &report, &code) && code == 1 && kill((pid_t)s.id, 0) != 0, "closing the control pipe ends the command");

    s = start("-", (char *[]){"sleep", "83", NULL});
    close(s.control), s.control = -1;
    check(!end(s, &report, &code) && kill((pid_t)s.id, 0) != 0, "closing the control pipe ends a command that is held");

    s = start("-", (char *[]){"sleep", "0.2", NULL});
    send_byte(s, 0);
    for (int signal = 1; signal <= 15; signal++) {
        if (signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM)
            kill(s.spawner, signal);
    }

    check(end(s, &report, &code) && report.status == 0 && code == 0, "signals to the group do not end the spawner");

    s = start("-", (char *[]){"/bin/sh", "-c", ": > ready; exec sleep 84", NULL});
    send_byte(s, 0);
    check(becomes_true(is_ready), "the command runs");
    unlink(in_folder("ready"));
    kill(s.spawner, SIGKILL);
    check(!end(s, &report, &code) && code == -SIGKILL, "a killed spawner reports nothing");
    write_file(in_folder("id"), "", 0644);
    FILE *file = fopen(in_folder("id"), "w");
    fprintf(file, "%ld", s.id);
    fclose(file);
    check(becomes_true(rest_has_ended), "the command ends when the spawner is killed");
}

static void test_groups(void) {
    struct report report;
    unlink(in_folder("id"));
    struct spawned s = start("s", (char *[]){"/bin/sh", "-c", "sleep 85 & echo $! > id; : > ready; wait", NULL});
    send_byte(s, 0);
    check(becomes_true(is_ready) && getpgid((pid_t)s.id) == s.id && getsid((pid_t)s.id) == s.id, "the command has its own session");
    send_byte(s, SIGINT); /* background processes of a shell ignore SIGINT; a later check tests that they are killed */
    check(end(s, &report, NULL) && WTERMSIG(report.status) == SIGINT, "a signal goes to the group");
    check(becomes_true(rest_has_ended), "the rest of the group is killed");
    check(getpgid(0) == getpgrp(), "processes outside the group are not killed"); /* this process still runs */

    unlink(in_folder("id"));
    report = shell("-", "sleep 86 & echo $! > id");
    check(report.status == 0 && !rest_has_ended(), "without a group, background processes remain");
    long id = 0;
    FILE *file = fopen("id", "r");
    if (file && fscanf(file, "%ld", &id) == 1 && id > 1)
        kill((pid_t)id, SIGKILL);
    if (file)
        fclose(file);

    s = start("s", (char *[]){"/bin/sh", "-c", "kill -STOP $$; exit 6", NULL});
    send_byte(s, 0);
    stopping = s.id;
    check(becomes_true(has_stopped), "a command can stop itself");
    send_byte(s, SIGCONT);
    check(end(s, &report, NULL) && WEXITSTATUS(report.status) == 6, "a stopped command has not ended");
}

/* Field 41 of /proc/[pid]/stat is the policy. */
static void test_scheduling(void) {
    static char script[] = "read -r _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ policy _ < /proc/self/stat; exit $policy";
    struct sched_param priority = {0};
    priority.sched_priority = 1;
    if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
        printf("  not run: the scheduling policy of the command, because real-time scheduling is not permitted here\n");
        return;
    }

    struct report inherited = shell("--", script), normal = shell("-n", script), grouped = shell("sn", script);
    priority.sched_priority = 0;
    sched_setscheduler(0, SCHED_OTHER, &priority);
    check(WEXITSTATUS(inherited.status) == SCHED_FIFO, "a real-time policy is inherited");
    check(WEXITSTATUS(normal.status) == SCHED_OTHER && WEXITSTATUS(grouped.status) == SCHED_OTHER, "with option n, the command has the normal policy");
}

static void test_directory(void) {
    mkdir("sub", 0755);
    write_file("sub/local", "#!/bin/sh\npwd > where", 0755);
    check(run("--d", (char *[]){"sub", "./local", NULL}).status == 0 && exists("sub/where"), "the command runs in the directory");
    check(run("--d", (char *[]){"none", "true", NULL}).exec_error == ENOENT, "a missing directory is reported");
    check(run("s-d", (char *[]){"sub/local", "true", NULL}).exec_error == ENOTDIR, "a file is not a directory");
    check(run("--", (char *[]){"sub", NULL}).exec_error == ENOENT, "without option d, there is no directory");
}

static void test_misuse(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        execv(starter[0], starter);
        _exit(99);
    }

    waitpid(child, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 2, "picollo_spawn without arguments exits with 2");
}

int main(int count, char **words) {
    if (count < 2 || !mkdtemp(folder) || chdir(folder))
        return 2;
    reset_signals();
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
    test_directory();
    test_misuse();
    printf("  %d checks passed, %d failed\n", passed, failed);
    char remove[64];
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    return system(remove) != 0 || failed > 0;
}
