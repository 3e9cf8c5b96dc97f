package dev.millrace.providers.tests;

import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.testkit.device.Fault;
import dev.millrace.providers.testkit.device.ThreadedFactory;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs the tests of providers over a device with a thread of its own, which takes every operator. */
class ThreadedProviderTest extends ProviderTests {
    @Override
    protected ProviderFactory factory() {
        return new ThreadedFactory("threaded", 0);
    }

    @Override
    protected Set<String> operators() {
        return Set.of("MatMul", "MatMulInteger", "QLinearMatMul", "Softmax");
    }

    @Override
    protected @Nullable Map<String, String> failing(Fault fault) {
        return fault == Fault.ERROR ? Map.of(ThreadedFactory.FAILING, "1") : null;
    }
}
