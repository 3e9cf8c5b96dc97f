package dev.millrace.codegen.code;

import dev.millrace.codegen.asm.Feature;
import dev.millrace.codegen.asm.FeatureSet;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The level at which kernels run in this process, found out once.
 *
 * @param level how kernels run
 * @param features the instruction sets that the processor has and the system supports; empty if no code could be run
 * @param reason one line: why not a better level, or what was found
 * @param remedy what the user can do for a better level, such as an option of the JVM; empty where there is nothing to do,
 *     or a level was forced
 */
public record Platform(KernelLevel level, FeatureSet features, String reason, String remedy) {
    /** Forces a lower level than the one found: {@code avx2}, {@code vector_api}, {@code plain}. */
    public static final String LEVEL_PROPERTY = "millrace.kernels.level";

    private static final Feature[] FOR_AVX2 = {
        Feature.AVX, Feature.AVX2, Feature.FMA, Feature.F16C, Feature.BMI1, Feature.BMI2, Feature.LZCNT, Feature.POPCNT
    };
    private static final Feature[] FOR_AVX512 = {Feature.AVX512F, Feature.AVX512BW, Feature.AVX512DQ, Feature.AVX512VL};

    private static final String FORCED = "forced by " + LEVEL_PROPERTY;
    private static final String DENIED = "native access is denied";
    private static final String ADD_VECTOR_API = "--add-modules jdk.incubator.vector";
    private static final String MAKE_EXECUTABLE =
            "let the process make memory executable (execmem of SELinux, MemoryDenyWriteExecute of systemd)";

    /**
     * Tries what kernels need: the system, the linker, executable memory, a stub that returns 42, the processor's
     * features, a small sum. Never throws: each refusal is a lower level with its reason.
     *
     * @param properties system properties by name; null for an absent one
     * @throws IllegalArgumentException if {@link #LEVEL_PROPERTY} names no level
     */
    public static Platform probe(Function<String, @Nullable String> properties, CodeMap map) {
        KernelLevel wanted = wanted(properties.apply(LEVEL_PROPERTY));
        if (wanted == KernelLevel.PLAIN) {
            return new Platform(KernelLevel.PLAIN, FeatureSet.BASE, FORCED, "");
        }
        if (wanted == KernelLevel.VECTOR_API) {
            return portable(FeatureSet.BASE, FORCED, "");
        }
        String system = properties.apply("os.name");
        String architecture = properties.apply("os.arch");
        if (!"Linux".equals(system) || !"amd64".equals(architecture) && !"x86_64".equals(architecture)) {
            String reason = "machine code is made for Linux on x86-64, this is " + system + " on " + architecture;
            return portable(FeatureSet.BASE, reason, "");
        }
        try (CodeArena code = CodeArena.ofThread(map)) {
            SelfCheck.answers(code);
            Platform found = of(CpuFeatures.detect(code), wanted);
            if (found.level.emitsMachineCode()) {
                SelfCheck.computes(code, found.features, found.level == KernelLevel.AVX512 ? 16 : 8);
            }
            return found;
        } catch (RuntimeException | LinkageError | OutOfMemoryError refusal) {
            if (isNativeAccessDenied()) {
                return new Platform(
                        KernelLevel.PLAIN, FeatureSet.BASE, DENIED, "start Java with ".concat(allowNativeAccess()));
            }
            String remedy = refusal instanceof UnsupportedOperationException ? MAKE_EXECUTABLE : "";
            return portable(FeatureSet.BASE, "machine code cannot be run here: ".concat(why(refusal)), remedy);
        }
    }

    /** The level of a processor with these features. */
    static Platform of(FeatureSet features, KernelLevel wanted) {
        if (!features.hasAll(FOR_AVX2)) {
            return portable(
                    features, "the processor lacks some of AVX2, FMA, F16C, BMI: ".concat(features.toString()), "");
        }
        if (!features.hasAll(FOR_AVX512)) {
            String reason = "the processor lacks AVX-512: it has ".concat(features.toString());
            return new Platform(KernelLevel.AVX2, features, reason, "");
        }
        return wanted == KernelLevel.AVX512
                ? new Platform(wanted, features, "the processor has ".concat(features.toString()), "")
                : new Platform(KernelLevel.AVX2, features, FORCED, "");
    }

    /**
     * The Vector API, where this process can use it, else the interpreter. Asked for only where it is needed: the answer
     * costs some milliseconds at the start of a process.
     */
    private static Platform portable(FeatureSet features, String reason, String remedy) {
        boolean there = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
        if (isNativeAccessDenied()) {
            String options = there ? allowNativeAccess() : allowNativeAccess() + " " + ADD_VECTOR_API;
            return new Platform(KernelLevel.PLAIN, features, reason + "; " + DENIED, "start Java with " + options);
        }
        if (there) {
            return new Platform(KernelLevel.VECTOR_API, features, reason, remedy);
        }
        String addition = "start Java with " + ADD_VECTOR_API;
        return new Platform(
                KernelLevel.PLAIN,
                features,
                reason + "; the Vector API is not there",
                remedy.isEmpty() ? addition : remedy + ", or " + addition);
    }

    private static boolean isNativeAccessDenied() {
        try {
            MemorySegment.NULL.reinterpret(1);
            return false;
        } catch (IllegalCallerException denied) {
            return true;
        }
    }

    private static String allowNativeAccess() {
        return Platform.class.getModule().isNamed()
                ? "--enable-native-access=dev.millrace.memory,dev.millrace.codegen"
                : "--enable-native-access=ALL-UNNAMED";
    }

    /** Whether kernels would be interpreted, and nobody asked for that: compiled Java is many times as fast. */
    public boolean isStopgap() {
        return level == KernelLevel.PLAIN && !remedy.isEmpty();
    }

    private static String why(Throwable refusal) {
        Throwable cause = refusal instanceof ExceptionInInitializerError wrapper ? wrapper.getCause() : refusal;
        return String.valueOf(cause);
    }

    private static KernelLevel wanted(@Nullable String name) {
        if (name == null) {
            return KernelLevel.AVX512;
        }
        for (KernelLevel level : KernelLevel.values()) {
            if (level.name().equals(name.toUpperCase(Locale.ROOT))) {
                return level;
            }
        }
        throw new IllegalArgumentException(
                LEVEL_PROPERTY + " is " + name + ", but must be one of avx512, avx2, vector_api, plain");
    }
}
