/// Families of kernels and their drivers.
module dev.millrace.kernels {
    requires transitive dev.millrace.codegen;
    requires dev.millrace.memory;
    requires static transitive org.jspecify;

    exports dev.millrace.kernels;
    exports dev.millrace.kernels.attention;
    exports dev.millrace.kernels.call;
    exports dev.millrace.kernels.cast;
    exports dev.millrace.kernels.conv;
    exports dev.millrace.kernels.conv.bytes;
    exports dev.millrace.kernels.expression;
    exports dev.millrace.kernels.gather;
    exports dev.millrace.kernels.gemm;
    exports dev.millrace.kernels.image;
    exports dev.millrace.kernels.lowp;
    exports dev.millrace.kernels.layout;
    exports dev.millrace.kernels.norm;
    exports dev.millrace.kernels.pool;
    exports dev.millrace.kernels.quantise;
    exports dev.millrace.kernels.axis;
    exports dev.millrace.kernels.recurrent;
    exports dev.millrace.kernels.reduce;
    exports dev.millrace.kernels.resize;
    exports dev.millrace.kernels.softmax;
    exports dev.millrace.kernels.fft;
}
