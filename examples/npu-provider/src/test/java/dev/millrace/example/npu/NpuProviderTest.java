package dev.millrace.example.npu;

import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.tests.ProviderTests;

/** Runs the tests of providers over the NPU, from the class path. */
class NpuProviderTest extends ProviderTests {
    @Override
    protected ProviderFactory factory() {
        return new NpuFactory();
    }
}
