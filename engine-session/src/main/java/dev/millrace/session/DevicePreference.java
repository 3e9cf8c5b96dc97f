package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.scheduler.device.DeviceType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;

/**
 * The usual choices of devices. Each prefers one kind of device and takes the next best where there is none; devices that are
 * not present are never chosen. Where several providers drive a device of the best kind, the first of them is chosen.
 */
public enum DevicePreference implements DevicePolicy {
    /** The host's processor alone. */
    PREFER_CPU(hardware -> hardware.type() == DeviceType.CPU ? 1 : 0),
    /** A graphics processor, one with memory of its own first, else the host's processor. */
    PREFER_GPU(hardware -> rank(hardware, 3, 2, 0, 1)),
    /** A neural processor, else the host's processor. */
    PREFER_NPU(hardware -> rank(hardware, 0, 0, 2, 1)),
    /** The fastest kind of device: a graphics processor with memory of its own, a neural one, another graphics processor. */
    MAX_PERFORMANCE(hardware -> rank(hardware, 4, 2, 3, 1)),
    /** The kind of device that does most for its power: a neural processor, an integrated graphics processor. */
    MAX_EFFICIENCY(hardware -> rank(hardware, 2, 3, 4, 1)),
    /** The kind of device that takes the least power: a neural processor, else the host's processor. */
    MIN_OVERALL_POWER(hardware -> rank(hardware, 0, 0, 2, 1));

    /** A positive rank of the hardware that it allows, the higher the better. */
    private final ToIntFunction<HardwareDevice> rank;

    DevicePreference(ToIntFunction<HardwareDevice> rank) {
        this.rank = rank;
    }

    private static int rank(HardwareDevice hardware, int discrete, int integrated, int npu, int cpu) {
        return switch (hardware.type()) {
            case GPU -> "1".equals(hardware.metadata().get(HardwareDevice.DISCRETE)) ? discrete : integrated;
            case NPU -> npu;
            case CPU -> cpu;
        };
    }

    private int rank(ProviderDevice device) {
        return device.hardware().isVirtual() ? 0 : rank.applyAsInt(device.hardware());
    }

    @Override
    public List<ProviderDevice> choose(List<ProviderDevice> devices) {
        int best = devices.stream().mapToInt(this::rank).max().orElse(0);
        List<ProviderDevice> chosen = devices.stream()
                .filter(device -> best > 0 && rank(device) == best)
                .toList();
        return chosen.isEmpty() || chosen.getFirst().hardware().type() == DeviceType.CPU
                ? chosen
                : chosen.stream()
                        .filter(device ->
                                device.provider().equals(chosen.getFirst().provider()))
                        .toList();
    }

    /** Returns the preference of this name, in capital or small letters; throws (INVALID_ARGUMENT) if there is none. */
    public static DevicePreference named(String name) {
        for (DevicePreference each : values()) {
            if (each.name().equalsIgnoreCase(name)) {
                return each;
            }
        }
        throw EngineException.invalidArgument(
                "'" + name + "' is none of " + Arrays.toString(values()).toLowerCase(Locale.ROOT));
    }
}
