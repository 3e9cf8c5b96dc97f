/// The plain provider.
module dev.millrace.providers.cpu {
    requires dev.millrace.providers.spi;
    requires java.desktop;
    requires static org.jspecify;

    provides dev.millrace.providers.spi.ProviderFactory with
            dev.millrace.providers.cpu.CpuFactory;
}
