package dev.millrace.providers.tests;

import dev.millrace.providers.spi.ProviderFactory;
import java.util.ServiceLoader;
import java.util.Set;

/** Runs the tests of providers over {@code simd}. */
class SimdProviderTest extends ProviderTests {
    @Override
    protected ProviderFactory factory() {
        return ServiceLoader.load(ProviderFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals("simd"))
                .findFirst()
                .orElseThrow();
    }

    @Override
    protected Set<String> operators() {
        return Set.of("MatMul", "MatMulInteger", "QLinearMatMul", "Softmax");
    }
}
