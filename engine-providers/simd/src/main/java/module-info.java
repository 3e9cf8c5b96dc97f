/// The provider that compiles.
module dev.millrace.providers.simd {
    requires dev.millrace.kernels;
    requires dev.millrace.memory;
    requires dev.millrace.providers.spi;
    requires static org.jspecify;

    provides dev.millrace.providers.spi.ProviderFactory with
            dev.millrace.providers.simd.SimdFactory;
}
