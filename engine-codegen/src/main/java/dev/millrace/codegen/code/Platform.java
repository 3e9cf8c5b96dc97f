package dev.millrace.codegen.code;

import dev.millrace.codegen.asm.Feature;
import dev.millrace.codegen.asm.FeatureSet;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What this process can do, found out once.
 *
 * @param level how kernels run
 * @param features the instruction sets that the processor has and the system supports; empty if no code could be run
 * @param reason one line: why not a better level, or what was found
 */
public record Platform(Level level, FeatureSet features, String reason) {
    /** Forces a lower level than the one found: {@code avx2}, {@code vector_api}, {@code plain}. */
    public static final String LEVEL_PROPERTY = "millrace.kernels.level";

    private static final Feature[] FOR_AVX2 = {
        Feature.AVX, Feature.AVX2, Feature.FMA, Feature.F16C, Feature.BMI1, Feature.BMI2, Feature.LZCNT, Feature.POPCNT
    };
    private static final Feature[] FOR_AVX512 = {Feature.AVX512F, Feature.AVX512BW, Feature.AVX512DQ, Feature.AVX512VL};

    /**
     * Tries what kernels need: the system, the linker, executable memory, a stub that returns 42, the processor's
     * features, a small sum. Never throws: each refusal is a lower level with its reason.
     *
     * @param properties system properties by name; null for an absent one
     * @throws IllegalArgumentException if {@link #LEVEL_PROPERTY} names no level
     */
    public static Platform probe(Function<String, @Nullable String> properties, CodeMap map) {
        Level wanted = wanted(properties.apply(LEVEL_PROPERTY));
        if (wanted == Level.PLAIN) {
            return new Platform(Level.PLAIN, FeatureSet.BASE, "forced by " + LEVEL_PROPERTY);
        }
        if (wanted == Level.VECTOR_API) {
            return portable(FeatureSet.BASE, "forced by " + LEVEL_PROPERTY);
        }
        String system = properties.apply("os.name");
        String architecture = properties.apply("os.arch");
        if (!"Linux".equals(system) || !"amd64".equals(architecture) && !"x86_64".equals(architecture)) {
            String reason = "machine code is made for Linux on x86-64, this is " + system + " on " + architecture;
            return portable(FeatureSet.BASE, reason);
        }
        try (CodeArena code = CodeArena.ofThread(map)) {
            return withMachineCode(code, wanted);
        } catch (RuntimeException | LinkageError | OutOfMemoryError refusal) {
            return portable(FeatureSet.BASE, "machine code cannot be run here: ".concat(why(refusal)));
        }
    }

    /** Asked for only where it is needed: the answer costs some milliseconds at the start of a process. */
    private static Platform portable(FeatureSet features, String reason) {
        if (ModuleLayer.boot().findModule("jdk.incubator.vector").isEmpty()) {
            String advice = "; the Vector API is not there: start Java with --add-modules jdk.incubator.vector";
            return new Platform(Level.PLAIN, features, reason.concat(advice));
        }
        try {
            MemorySegment.NULL.reinterpret(1);
        } catch (IllegalCallerException denied) {
            String advice = "; the Vector API may not reach native memory: ".concat(why(denied));
            return new Platform(Level.PLAIN, features, reason.concat(advice));
        }
        return new Platform(Level.VECTOR_API, features, reason);
    }

    private static String why(Throwable refusal) {
        Throwable cause = refusal instanceof ExceptionInInitializerError wrapper ? wrapper.getCause() : refusal;
        return String.valueOf(cause);
    }

    private static Level wanted(@Nullable String name) {
        if (name == null) {
            return Level.AVX512;
        }
        for (Level level : Level.values()) {
            if (level.name().equals(name.toUpperCase(Locale.ROOT))) {
                return level;
            }
        }
        throw new IllegalArgumentException(
                LEVEL_PROPERTY + " is " + name + ", but must be one of avx512, avx2, vector_api, plain");
    }

    private static Platform withMachineCode(CodeArena code, Level wanted) {
        SelfCheck.answers(code);
        FeatureSet features = CpuFeatures.detect(code);
        if (!features.hasAll(FOR_AVX2)) {
            return portable(features, "the processor lacks some of AVX2, FMA, F16C, BMI: " + features);
        }
        boolean avx512 = features.hasAll(FOR_AVX512);
        Level level = avx512 && wanted == Level.AVX512 ? Level.AVX512 : Level.AVX2;
        SelfCheck.computes(code, features, level == Level.AVX512 ? 16 : 8);
        if (level == Level.AVX512) {
            return new Platform(level, features, "the processor has ".concat(features.toString()));
        }
        String reason = avx512
                ? "forced by " + LEVEL_PROPERTY
                : "the processor lacks AVX-512: it has ".concat(features.toString());
        return new Platform(level, features, reason);
    }
}
