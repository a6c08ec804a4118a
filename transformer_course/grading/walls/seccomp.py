"""A filter of system calls, as a BPF program for the two common 64-bit processors.

What is denied has no use in an exercise, and was the way out of many a sandbox. Denied calls
fail with EPERM, so that Python raises PermissionError and the student's code goes on.
"""

import ctypes
import errno
import struct

from transformer_course.grading.walls import linux

DENIED = {  # name: number on x86_64, on aarch64 (None: there is no such call)
    # no network, and no other way to talk to a process outside
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    # no look into other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    # no new namespaces or mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "mknod": (133, None),
    "mknodat": (259, 33),
    # memory that no limit counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # no larger share of the processors: a session of its own has one, and so has a core of its own
    "setsid": (112, 157),
    "setpriority": (141, 140),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # nothing that others wait for, and no news of what they do
    "sync": (162, 81),
    "syncfs": (306, 267),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    # parts of the kernel that student code has no business with
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "fanotify_init": (300, 262),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
}
UNDONE = {  # say that it was done, and do nothing: Landlock does not know them
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
SIGNALS = {"tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240)}
KILL, TGKILL, CLONE, CLONE3 = (62, 129), (234, 131), (56, 220), (435, 435)
PRLIMIT, FCNTL, UTIMENSAT = (302, 261), (72, 25), (280, 88)
SETLEASE, NOTIFY = 1024, 1026

_LOAD, _EQUAL, _ABOVE, _ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL_PROCESS, _ERROR = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_FIRST_ARGUMENT, _SECOND_ARGUMENT, _THIRD_ARGUMENT = 16, 24, 32
_X86_64, _AARCH64 = 0xC000_003E, 0xC000_00B7
_NAMESPACES = (
    linux.NEWNS
    | linux.NEWCGROUP
    | linux.NEWUTS
    | linux.NEWIPC
    | linux.NEWUSER
    | linux.NEWPID
    | linux.NEWNET
)


def program(arm: bool = linux.ARM, only_signals_to: int | None = None) -> bytes:
    """The filter. With `only_signals_to`, signals to any other process are denied, too.

    That is for a process that sees others, and files of its own user: these keep their modes.
    """
    which = int(arm)
    denied = _ERROR | errno.EPERM
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _AARCH64 if arm else _X86_64),
        (_RETURN, 0, 0, _KILL_PROCESS),  # code for another processor mode has other numbers
        (_LOAD, 0, 0, _NUMBER),
    ]
    if not arm:  # x32: the same processor mode, other numbers
        code += [(_ABOVE, 0, 1, 0x4000_0000), (_RETURN, 0, 0, _KILL_PROCESS)]
    numbers = [pair[which] for pair in DENIED.values()]
    if only_signals_to is not None:
        numbers += [pair[which] for pair in SIGNALS.values()]
        for pair in (KILL, TGKILL):
            code += [
                (_EQUAL, 0, 4, pair[which]),
                (_LOAD, 0, 0, _FIRST_ARGUMENT),
                (_EQUAL, 0, 1, only_signals_to),
                (_RETURN, 0, 0, _ALLOW),
                (_RETURN, 0, 0, denied),
            ]
        for undone in (each[which] for each in UNDONE.values()):
            if undone is not None:
                code += [(_EQUAL, 0, 1, undone), (_RETURN, 0, 0, _ERROR)]
        code += [  # without a time it is Path.touch, which makes the file where this is denied
            (_EQUAL, 0, 4, UTIMENSAT[which]),
            (_LOAD, 0, 0, _THIRD_ARGUMENT),
            (_EQUAL, 0, 1, 0),
            (_RETURN, 0, 0, denied),
            (_RETURN, 0, 0, _ERROR),
        ]
    for number in numbers:
        if number is not None:
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, denied)]
    code += [  # limits of its own alone; no lease on a file, which others would have to wait for
        (_EQUAL, 0, 4, PRLIMIT[which]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, denied),
        (_EQUAL, 0, 5, FCNTL[which]),
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        (_EQUAL, 1, 0, SETLEASE),
        (_EQUAL, 0, 1, NOTIFY),
        (_RETURN, 0, 0, denied),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code += [  # clone3 hides its flags from a filter; the C library then uses clone
        (_EQUAL, 0, 1, CLONE3[which]),
        (_RETURN, 0, 0, _ERROR | errno.ENOSYS),
        (_EQUAL, 0, 3, CLONE[which]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY, 0, 1, _NAMESPACES),
        (_RETURN, 0, 0, denied),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("<HBBI", *each) for each in code)


def apply(only_signals_to: int | None = None) -> None:
    """From now on, for this process and all it starts. There is no way back."""
    code = program(only_signals_to=only_signals_to)
    buffer = ctypes.create_string_buffer(code, len(code))
    whole = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    pointer = ctypes.create_string_buffer(whole, len(whole))
    linux.no_new_privileges()
    linux.prctl(22, 2, ctypes.addressof(pointer))
