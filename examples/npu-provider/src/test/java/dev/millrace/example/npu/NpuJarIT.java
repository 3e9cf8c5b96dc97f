package dev.millrace.example.npu;

import dev.millrace.providers.testkit.device.Fault;
import dev.millrace.providers.tests.ProviderTests;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs the tests of providers over the jar of the NPU. */
class NpuJarIT extends ProviderTests {
    @Override
    protected Path library() {
        return Path.of(System.getProperty("example.npu.jar", ""));
    }

    @Override
    protected Set<String> operators() {
        return Set.of("MatMulInteger", "QLinearMatMul", "QuantizeLinear", "DequantizeLinear", "Add", "Mul", "Relu");
    }

    @Override
    protected @Nullable Map<String, String> failing(Fault fault) {
        return switch (fault) {
            case REFUSED, ERROR, OUT_OF_MEMORY, LOST ->
                Map.of("fault", fault.name().toLowerCase(Locale.ROOT));
            default -> null;
        };
    }
}
