/*
 * picollo_spawn: starts a command that is held before its first instruction, waits for it, and reports its status and usage.
 *
 *     picollo_spawn <control> <report> <options> [directory] <file> [argument...]
 *
 * This is a separate program, because the kernel keeps the largest resident size of a process over execve (exec_mmap,
 * setmax_mm_hiwater_rss): the reported size of a command that .NET forked would be at least the size of .NET. This program has about
 * ten pages. It is freestanding and static, so that it works with any C library, or none.
 *
 * <control> and <report> are the descriptor numbers of pipes.
 *
 * Report: when the command has been created and is held, its process ID as one word; when it has exited, a struct report.
 *
 * Control: byte 0 releases the command; any other byte sends the signal with that number. When the pipe is closed, which also happens
 * when its holder exits, the command is killed, unless it runs as another user to whose processes this one may not send signals, as with
 * sudo (a set-user-ID program has no parent death signal either).
 *
 * <options> has three letters, each '-' for none. 's' starts a new session and process group; signals are then sent to the group, and the
 * rest of the group is killed when the command has exited. 'n' selects the normal scheduling policy instead of an inherited real-time one.
 * 'd' means that the next argument is the directory of the command, in which the program is also searched for.
 *
 * The command inherits standard input, output and error, environment, directory and all other descriptors unchanged.
 */
#include <asm/unistd.h>

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "picollo_spawn supports only Linux on x64 and arm64"
#endif

typedef long word;
_Static_assert(sizeof(word) == 8, "64 bits");

enum {
    INTR = 4, NOENT = 2, NOTDIR = 20, NOEXEC = 8, ACCES = 13, /* <asm-generic/errno.h> */
    SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGKILL = 9, SIGPIPE = 13, SIGTERM = 15, SIGCHLD = 17,
    CURRENT_DIRECTORY = -100, /* AT_FDCWD */
    CLOSE_ON_EXEC = 02000000, SET_FD = 2, FD_CLOSE_ON_EXEC = 1,
    READABLE = 1, HUNG_UP = 0x10,
    MONOTONIC = 1,
    SET_PARENT_DEATH_SIGNAL = 1, SET_NAME = 15,
    NORMAL = 0, FIFO = 1, ROUND_ROBIN = 2, /* <linux/sched.h> */
    POLICY = 0x3fffffff, /* without SCHED_RESET_ON_FORK */
    BY_PID = 1, NO_HANG = 1, EXITED = 4, NO_WAIT = 0x01000000,
    MAX_PATH = 4096,
    USAGE = 18, /* words of a struct rusage */
};

/* The final report; CommandReport on the managed side. Times are CLOCK_MONOTONIC, in nanoseconds. */
struct report {
    word ended;      /* 0, which distinguishes a report from a process ID: a command that exited before it was held has sent no ID */
    word status;     /* from wait4 */
    word exec_error; /* the error of execve if the command could not be executed; otherwise 0 */
    word start, end;
    word usage_before[USAGE]; /* the usage of the process before execve, a struct rusage */
    word usage[USAGE];        /* its usage at the end, a struct rusage */
};

/* The kernel's struct sigaction, as far as needed to ignore a signal or restore the default. */
struct action {
    word handler, rest[3];
};

struct poll {
    int fd;
    short events, got;
};

/* Shared by this process and the command until it executes its program. */
struct shared {
    word start, exec_error, usage[USAGE];
};

/* The signals that this process ignores. The array of saved actions has the same order. */
static const unsigned char signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { SIGNALS = sizeof signals };

static inline word call6(word number, word a, word b, word c, word d, word e, word f) {
#if defined(__x86_64__)
    word result;
    register word r10 __asm__("r10") = d;
    register word r8 __asm__("r8") = e;
    register word r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    register word x8 __asm__("x8") = number;
    register word x0 __asm__("x0") = a;
    register word x1 __asm__("x1") = b;
    register word x2 __asm__("x2") = c;
    register word x3 __asm__("x3") = d;
    register word x4 __asm__("x4") = e;
    register word x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#endif
}
#define CALL(number, a, b, c, d) call6(number, (word)(a), (word)(b), (word)(c), (word)(d), 0, 0)

static void __attribute__((noreturn)) leave(int code) {
    for (;;)
        CALL(__NR_exit_group, code, 0, 0, 0);
}

/* The compiler may generate calls to memcpy and memset, regardless of its options. */
void *memcpy(void *to, const void *from, unsigned long length) {
    for (unsigned long i = 0; i < length; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}
void *memset(void *to, int value, unsigned long length) {
    for (unsigned long i = 0; i < length; i++)
        ((volatile char *)to)[i] = (char)value;
    return to;
}

static word now(void) {
    word time[2];
    CALL(__NR_clock_gettime, MONOTONIC, time, 0, 0);
    return time[0] * 1000000000 + time[1];
}

static word read_byte(int fd, unsigned char *byte) {
    word got;
    while ((got = CALL(__NR_read, fd, byte, 1, 0)) == -INTR) {
    }
    return got;
}

/* A write to a pipe of at most PIPE_BUF bytes is atomic. */
static void write_message(int fd, const void *what, word length) {
    while (CALL(__NR_write, fd, what, length, 0) == -INTR) {
    }
}

static word number(const char *text) {
    word value = 0;
    while (*text >= '0' && *text <= '9')
        value = value * 10 + (*text++ - '0');
    return value;
}

/* Calls execve, with a shell for formats that the kernel does not know, as execvp(3) does. `command` has a free element before it. */
static word execute(const char *file, const char **command, const char **environment) {
    word error = CALL(__NR_execve, file, command, environment, 0);
    if (error != -NOEXEC)
        return error;
    const char *shell = "/bin/sh", *before = command[-1], *name = command[0];
    command[-1] = shell, command[0] = file;
    error = CALL(__NR_execve, shell, command - 1, environment, 0);
    command[-1] = before, command[0] = name;
    return error;
}

/* Searches for a name without a slash as a shell does: executes the first file that can be executed; otherwise returns the error
   of the last file that existed but could not be executed. A folder that may not be searched counts as empty. execvp(3) would
   treat it as an existing command, so that with one such folder in the PATH a misspelled name would never be reported as missing. */
static word search(const char **command, const char **environment) {
    const char *name = command[0], *path = "/bin:/usr/bin";
    word error = -NOENT;
    int has_slash = 0, length = 0;
    for (; name[length]; length++)
        has_slash |= name[length] == '/';
    if (has_slash || length == 0)
        return length == 0 ? -NOENT : execute(name, command, environment);
    for (const char **entry = environment; *entry; entry++) {
        const char *e = *entry;
        if (e[0] == 'P' && e[1] == 'A' && e[2] == 'T' && e[3] == 'H' && e[4] == '=')
            path = e + 5;
    }

    for (;;) {
        char file[MAX_PATH];
        int at = 0;
        while (path[at] && path[at] != ':' && at < MAX_PATH)
            file[at] = path[at], at++;
        if (at + 1 + length < MAX_PATH) {
            const char *rest = path + at;
            if (at > 0)
                file[at++] = '/'; /* an empty entry is the current directory */
            for (int i = 0; i <= length; i++)
                file[at++] = name[i];
            word refused = execute(file, command, environment);
            if (refused == -ACCES && CALL(__NR_faccessat, CURRENT_DIRECTORY, file, 0 /* exists */, 0) != 0)
                refused = -NOENT;
            if (refused != -NOENT && refused != -NOTDIR)
                error = refused;
            path = rest;
        } else {
            while (*path && *path != ':')
                path++;
        }

        if (*path++ == '\0')
            return error;
    }
}

static void __attribute__((noreturn))
become(int gate, int report, word parent, int own_session, int normal, const struct action *actions, const word *mask,
       struct shared *shared, const char *directory, const char **command, const char **environment) {
    unsigned char go;
    CALL(__NR_prctl, SET_PARENT_DEATH_SIGNAL, SIGKILL, 0, 0);
    if (CALL(__NR_getppid, 0, 0, 0, 0) != parent)
        leave(125); /* the parent exited before the death signal was set */
    if (own_session)
        CALL(__NR_setsid, 0, 0, 0, 0);
    word policy = normal ? CALL(__NR_sched_getscheduler, 0, 0, 0, 0) & POLICY : NORMAL;
    if (policy == FIFO || policy == ROUND_ROBIN) {
        int priority = 0; /* struct sched_param; always permitted; the previous nice value then applies */
        CALL(__NR_sched_setscheduler, 0, NORMAL, &priority, 0);
    }
    for (int i = 0; i < SIGNALS; i++)
        CALL(__NR_rt_sigaction, signals[i], &actions[i], 0, 8);
    CALL(__NR_rt_sigaction, SIGCHLD, &actions[SIGNALS], 0, 8);
    /* .NET ignores this signal, and ignored signals remain ignored over execve: `yes | head` would continue with errors. */
    struct action standard = {0, {0, 0, 0}};
    CALL(__NR_rt_sigaction, SIGPIPE, &standard, 0, 8);
    word self = CALL(__NR_getpid, 0, 0, 0, 0);
    write_message(report, &self, sizeof self);
    if (read_byte(gate, &go) != 1)
        leave(125);
    /* Signals are unblocked only now, so that a signal that arrives while the command is held ends the command, like a later signal. */
    CALL(__NR_rt_sigprocmask, 2 /* set */, mask, 0, 8);
    CALL(__NR_getrusage, 0 /* self */, shared->usage, 0, 0);
    shared->start = now();
    word moved = directory ? CALL(__NR_chdir, directory, 0, 0, 0) : 0;
    shared->exec_error = -(moved < 0 ? moved : search(command, environment));
    leave(127);
}

static void send(word child, int own_session, int signal) { CALL(__NR_kill, own_session ? -child : child, signal, 0, 0); }

__attribute__((used, noreturn)) void picollo_spawn(word *stack) {
    word count = stack[0];
    const char **arguments = (const char **)(stack + 1), **environment = arguments + count + 1;
    if (count < 5)
        leave(2);

    const char *options = arguments[3];
    int control = (int)number(arguments[1]), report = (int)number(arguments[2]);
    int own_session = options[0] == 's', normal = options[0] && options[1] == 'n';
    int has_directory = options[0] && options[1] && options[2] == 'd';
    const char *directory = has_directory ? arguments[4] : 0, **command = arguments + 4 + has_directory;
    if (!*command)
        leave(2);

    if (CALL(__NR_fcntl, control, SET_FD, FD_CLOSE_ON_EXEC, 0) < 0 || CALL(__NR_fcntl, report, SET_FD, FD_CLOSE_ON_EXEC, 0) < 0)
        leave(2);

    CALL(__NR_prctl, SET_NAME, "picollo_spawn", 0, 0); /* otherwise the name is the number of a descriptor */
    struct action actions[SIGNALS + 1], ignored = {1, {0, 0, 0}}, standard = {0, {0, 0, 0}};
    for (int i = 0; i < SIGNALS; i++)
        CALL(__NR_rt_sigaction, signals[i], &ignored, &actions[i], 8);
    /* If SIGCHLD is inherited as ignored, the kernel sends no signal and keeps no status to wait for. The command inherits the
       previous action. */
    CALL(__NR_rt_sigaction, SIGCHLD, &standard, &actions[SIGNALS], 8);

    word mask, child_ended = 1L << (SIGCHLD - 1);
    CALL(__NR_rt_sigprocmask, 0 /* block */, &child_ended, &mask, 8);
    for (int i = 0; i < SIGNALS; i++)
        mask &= ~(1L << (signals[i] - 1)); /* the caller blocks them, so that none ends this process before they are ignored */
    int ended = (int)CALL(__NR_signalfd4, -1, &child_ended, 8, CLOSE_ON_EXEC);
    int gate[2];
    word pipes = CALL(__NR_pipe2, gate, CLOSE_ON_EXEC, 0, 0);
    word page = call6(__NR_mmap, 0, 4096, 3 /* read, write */, 0x21 /* shared, anonymous */, -1, 0);
    if (ended < 0 || pipes < 0 || (page < 0 && page > -4096))
        leave(3);

    struct shared *shared = (struct shared *)page;
    word self = CALL(__NR_getpid, 0, 0, 0, 0);
    word child = call6(__NR_clone, SIGCHLD, 0, 0, 0, 0, 0);
    if (child < 0)
        leave(3);
    if (child == 0) {
        CALL(__NR_close, gate[1], 0, 0, 0);
        become(gate[0], report, self, own_session, normal, actions, &mask, shared, directory, command, environment);
    }

    CALL(__NR_close, gate[0], 0, 0, 0);
    struct poll polled[2] = {{control, READABLE, 0}, {ended, READABLE, 0}};
    for (;;) {
        word ready = call6(__NR_ppoll, (word)polled, 2, 0, 0, 0, 0);
        word end = now();
        if (ready < 0)
            continue;
        if (polled[1].got) {
            /* The command has not been waited for, so its ID cannot be reused while the rest of its group is killed. SIGCHLD also
               arrives when the command is stopped. */
            int information[32] = {0};
            char signal[128];
            CALL(__NR_read, ended, signal, sizeof signal, 0);
            call6(__NR_waitid, BY_PID, child, (word)information, EXITED | NO_HANG | NO_WAIT, 0, 0);
            if (information[0] == 0)
                continue;
            if (own_session)
                send(child, own_session, SIGKILL);
            struct report final;
            int status = 0;
            CALL(__NR_wait4, child, &status, 0, final.usage);
            final.ended = 0, final.status = status, final.exec_error = shared->exec_error, final.start = shared->start, final.end = end;
            memcpy(final.usage_before, shared->usage, sizeof final.usage_before);
            write_message(report, &final, sizeof final);
            leave(0);
        }

        unsigned char byte;
        if (polled[0].got && read_byte(control, &byte) != 1) {
            send(child, own_session, SIGKILL);
            send(child, 0, SIGKILL); /* the child may not have created its group yet */
            while (CALL(__NR_wait4, child, 0, 0, 0) == -INTR) {
            }
            leave(1);
        }

        if (polled[0].got) {
            if (byte == 0)
                write_message(gate[1], &byte, 1);
            else
                send(child, own_session, byte);
        }
    }
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall picollo_spawn\n");
#else
__asm__(".globl _start\n_start:\n\tmov x29, xzr\n\tmov x30, xzr\n\tmov x0, sp\n\tbl picollo_spawn\n");
#endif
