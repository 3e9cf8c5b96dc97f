package dev.millrace.example.npu;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.spi.ProviderOptions;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The options of a session.
 *
 * @param compileMillis how long the compiler takes for a partition at least
 * @param fault what every run suffers, to try how others bear it
 */
record NpuSettings(int compileMillis, Performance performance, Fault fault) {
    static final String COMPILE_MILLIS = "compile_millis";
    static final String PERFORMANCE = "performance";
    static final String FAULT = "fault";

    /** The clock of the NPU, which may change while a session is open. */
    enum Performance {
        BURST(0),
        BALANCED(20),
        SAVER(500);

        /** How long an instruction takes at least. */
        final int micros;

        Performance(int micros) {
            this.micros = micros;
        }
    }

    /** Faults of the hardware. */
    enum Fault {
        NONE,
        REFUSED,
        ERROR,
        OUT_OF_MEMORY,
        LOST
    }

    static NpuSettings of(ProviderOptions options) {
        options.allowOnly(NpuTarget.NAME, Set.of(COMPILE_MILLIS, PERFORMANCE, FAULT));
        Map<String, String> values = options.values();
        return new NpuSettings(
                number(values.getOrDefault(COMPILE_MILLIS, "0")),
                choice(Performance.values(), PERFORMANCE, values.getOrDefault(PERFORMANCE, "burst")),
                choice(Fault.values(), FAULT, values.getOrDefault(FAULT, "none")));
    }

    private static int number(String text) {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException _) {
            throw EngineException.invalidArgument(COMPILE_MILLIS + " is '" + text + "', and not a number");
        }
    }

    /** Returns the value of an enumeration that an option names. */
    static <E extends Enum<E>> E choice(E[] all, String option, String text) {
        return Arrays.stream(all)
                .filter(each -> name(each).equals(text))
                .findFirst()
                .orElseThrow(() -> EngineException.invalidArgument(option + " is '" + text + "'; it is one of "
                        + Arrays.stream(all).map(NpuSettings::name).toList()));
    }

    static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
