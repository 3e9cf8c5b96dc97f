/// A vector code generator: programs over vectors, lowered to machine code, to bytecode on the Vector API, or
/// interpreted.
module dev.millrace.codegen {
    requires dev.millrace.memory;
    requires static jdk.incubator.vector;
    requires static transitive org.jspecify;

    exports dev.millrace.codegen.code;
    exports dev.millrace.codegen.key;
    exports dev.millrace.codegen.program;

    // Kernels picks the lowering, and its first kernel is assembled beside the probe of the machine.
    exports dev.millrace.codegen.asm to
            dev.millrace.kernels;
    exports dev.millrace.codegen.program.bytecode to
            dev.millrace.kernels;
    exports dev.millrace.codegen.program.plain to
            dev.millrace.kernels;
    exports dev.millrace.codegen.program.x86 to
            dev.millrace.kernels;
}
