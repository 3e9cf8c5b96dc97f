package dev.millrace.providers.tests;

import dev.millrace.providers.spi.ProviderFactory;
import java.util.ServiceLoader;
import java.util.Set;

/** Runs the tests of providers over {@code cpu}. */
class CpuProviderTest extends ProviderTests {
    @Override
    protected ProviderFactory factory() {
        return ServiceLoader.load(ProviderFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals("cpu"))
                .findFirst()
                .orElseThrow();
    }

    @Override
    protected Set<String> operators() {
        return Set.of("MatMul", "MatMulInteger", "QLinearMatMul", "Softmax");
    }
}
