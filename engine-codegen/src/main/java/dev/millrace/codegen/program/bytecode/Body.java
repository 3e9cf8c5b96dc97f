package dev.millrace.codegen.program.bytecode;

/** The interface of generated classes. */
interface Body {
    void run(long a, long b, long c, long d, long e, long f);
}
