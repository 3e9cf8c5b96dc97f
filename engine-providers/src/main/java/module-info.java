/// The execution provider interface, the partitioner and the providers.
module dev.millrace.providers {
    requires transitive dev.millrace.scheduler;
    requires dev.millrace.kernels;
    requires java.desktop;
    requires static transitive org.jspecify;

    exports dev.millrace.providers.partition;
    exports dev.millrace.providers.spi;

    provides dev.millrace.providers.spi.ProviderFactory with
            dev.millrace.providers.cpu.CpuFactory,
            dev.millrace.providers.simd.SimdFactory;
}
