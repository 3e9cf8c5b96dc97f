package dev.millrace.providers.simd;

import dev.millrace.codegen.code.Platform;
import dev.millrace.graph.EngineException;
import dev.millrace.kernels.Kernels;
import dev.millrace.providers.simd.context.Machine;
import dev.millrace.providers.simd.program.RunBlocks;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.HostFactory;
import dev.millrace.providers.spi.PackedTensors;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.spi.WeightlessSupport;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The factory of {@code simd} providers. */
public final class SimdFactory extends HostFactory {
    private final PackedTensors weights = new PackedTensors();
    private final RunBlocks blocks = new RunBlocks();

    /**
     * Created with an engine, some time before its first session needs kernels; another thread probes the machine
     * meanwhile.
     */
    public SimdFactory() {
        super(SimdProvider.NAME, "Millrace", "2.0.0", Map.of(WeightlessSupport.METADATA, SimdProvider.SUPPORT.text()));
        Kernels.foresee();
    }

    @Override
    public ProviderLevel level() {
        return level(Kernels.shared().platform());
    }

    static ProviderLevel level(Platform platform) {
        String name = platform.level().name().toLowerCase(Locale.ROOT);
        String reason = platform.isStopgap()
                ? platform.reason()
                        + "; it leaves models to the other providers, since they are faster than an interpreter"
                : platform.reason();
        return new ProviderLevel(name, reason, platform.remedy());
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        options.allowOnly(SimdProvider.NAME, Set.of(SimdProvider.STRICT, SimdProvider.PORTABLE, SimdProvider.TUNE));
        return new SimdProvider(
                Kernels::shared,
                weights,
                blocks,
                isSet(options, SimdProvider.STRICT),
                isSet(options, SimdProvider.PORTABLE),
                isSet(options, SimdProvider.TUNE));
    }

    private static boolean isSet(ProviderOptions options, String name) {
        String value = options.values().get(name);
        if (value == null || value.equals("false")) {
            return false;
        }
        if (value.equals("true")) {
            return true;
        }
        throw EngineException.invalidArgument("option '" + name + "' of provider '" + SimdProvider.NAME + "' is '"
                + value + "'; it is true or false");
    }

    @Override
    public Compatibility validate(List<HardwareDevice> devices, String info) {
        return Machine.of(Kernels.shared().set().target(), Machine.Weights.ANY).judge(info);
    }
}
