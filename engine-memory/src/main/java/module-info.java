/// Pages of the operating system, blocks of native memory that the garbage collector reclaims, and files of one user.
module dev.millrace.memory {
    requires java.management;
    requires jdk.management;
    requires static transitive org.jspecify;

    exports dev.millrace.memory;
    exports dev.millrace.memory.file;

    // A call of any address ends the process where the address is wrong.
    exports dev.millrace.memory.call to
            dev.millrace.codegen;
}
