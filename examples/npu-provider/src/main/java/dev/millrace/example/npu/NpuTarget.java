package dev.millrace.example.npu;

import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.ContextFacts;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.scheduler.device.DeviceType;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The software and the hardware that a model is compiled for.
 *
 * @param sdk the version of the compiler, such as 1.2.0
 * @param driver the number of the driver, whose containers no other driver reads
 * @param generation the generation of the hardware
 */
record NpuTarget(String sdk, int driver, int generation) {
    static final String NAME = "npu";
    static final String VENDOR = "Example";

    private static final Pattern TEXT = Pattern.compile("npu generation=(\\d+) sdk=(\\d+)\\.(\\d+)\\.\\d+");

    /** Returns the simulated NPU. Properties of the system change its versions, to show what a mismatch does. */
    static NpuTarget installed() {
        return new NpuTarget(
                System.getProperty("example.npu.sdk", "1.2.0"),
                Integer.getInteger("example.npu.driver", 4),
                Integer.getInteger("example.npu.generation", 1));
    }

    /** Returns the same software for another piece of hardware, which says in its metadata of which generation it is. */
    NpuTarget on(HardwareDevice hardware) {
        if (hardware.type() != DeviceType.NPU) {
            return this;
        }
        String said = hardware.metadata().getOrDefault("generation", "1");
        return new NpuTarget(sdk, driver, Integer.parseInt(said));
    }

    /** The text that context models carry. */
    String text() {
        return "npu generation=" + generation + " sdk=" + sdk;
    }

    /** The facts that EPContext nodes state for people. */
    ContextFacts facts() {
        return ContextFacts.NONE
                .withSdkVersion(sdk)
                .withHardware("npu generation " + generation)
                .withNotes("driver " + driver);
    }

    /** The verdict on a model that carries a text, for the devices at hand. */
    Compatibility verdict(List<HardwareDevice> devices, String text) {
        Matcher said = TEXT.matcher(text);
        Matcher own = TEXT.matcher(text());
        if (!said.matches() || !own.matches()) {
            return Compatibility.UNSUPPORTED;
        }
        boolean fits = devices.stream().anyMatch(each -> on(each).generation == number(said, 1));
        if (!fits || number(said, 2) != number(own, 2) || number(said, 3) > number(own, 3)) {
            return Compatibility.UNSUPPORTED;
        }
        return number(said, 3) < number(own, 3) ? Compatibility.PREFER_RECOMPILATION : Compatibility.OPTIMAL;
    }

    private static int number(MatchResult match, int group) {
        return Integer.parseInt(match.group(group));
    }
}
