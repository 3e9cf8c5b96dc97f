package dev.millrace.codegen.program.bytecode;

/** What generated classes implement. */
interface Body {
    void run(long a, long b, long c, long d, long e, long f);
}
