/// Families of kernels and their drivers.
module dev.millrace.kernels {
    requires transitive dev.millrace.codegen;
    requires static transitive org.jspecify;

    exports dev.millrace.kernels.attention;
    exports dev.millrace.kernels.conv.quantised;
    exports dev.millrace.kernels.conv;
    exports dev.millrace.kernels.convert;
    exports dev.millrace.kernels.driver;
    exports dev.millrace.kernels.expression;
    exports dev.millrace.kernels.gemm;
    exports dev.millrace.kernels.layout;
    exports dev.millrace.kernels.norm;
    exports dev.millrace.kernels.peak;
    exports dev.millrace.kernels.quantise;
    exports dev.millrace.kernels.quantised;
    exports dev.millrace.kernels.recurrent;
    exports dev.millrace.kernels.reduce;
    exports dev.millrace.kernels.resize;
    exports dev.millrace.kernels.rows;
    exports dev.millrace.kernels.rowwise;
    exports dev.millrace.kernels.select;
    exports dev.millrace.kernels.softmax;
    exports dev.millrace.kernels.window;
    exports dev.millrace.kernels;
}
