package dev.millrace.providers.simd.context;

import dev.millrace.codegen.program.Target;
import dev.millrace.providers.spi.Compatibility;
import java.util.Locale;
import java.util.TreeSet;

/**
 * The description that context models carry of the machine that they were compiled on.
 *
 * @param format the version of plans
 * @param target the vectors that weights are packed for, and the instructions
 * @param weights how constants were kept
 */
public record Machine(int format, String target, Weights weights) {
    private static final String PREFIX = "simd;";

    /** The machines that kept constants can be used on. */
    public enum Weights {
        /**
         * Packed, for the machine that they were compiled on; other machines unpack constants that are kept only
         * packed, and pack them again.
         */
        RECOVERABLE,
        /**
         * Packed and as they are in the model, for any machine; one other than the compiling machine packs them again.
         */
        ANY,
        /** Left in the source model, for any machine: all are packed when the context is loaded. */
        SOURCE;

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static Machine of(Target target, Weights weights) {
        return new Machine(PlanFormat.VERSION, vectors(target), weights);
    }

    /**
     * Returns the properties of a machine that the packed layouts depend on: target, lanes and dot product
     * instructions.
     */
    static String vectors(Target target) {
        var dots = new TreeSet<String>();
        target.dots().forEach(dot -> dots.add(dot.name()));
        return target.name() + "/" + target.lanes() + (dots.isEmpty() ? "" : "/" + String.join("+", dots));
    }

    /** The text that a context model carries. */
    public String info() {
        return PREFIX + "format=" + format + ";target=" + target + ";weights=" + weights.text();
    }

    /** Judges how well a context model that carries {@code info} suits this machine. */
    public Compatibility judge(String info) {
        if (!info.startsWith(PREFIX)) {
            return Compatibility.NOT_APPLICABLE;
        }
        for (Weights kept : Weights.values()) {
            if (info.equals(new Machine(format, target, kept).info())) {
                return Compatibility.OPTIMAL;
            }
        }
        if (!info.startsWith(PREFIX + "format=" + format + ";")) {
            return Compatibility.UNSUPPORTED;
        }
        return switch (info.substring(info.lastIndexOf('=') + 1)) {
            case "source" -> Compatibility.OPTIMAL;
            case "any", "recoverable" -> Compatibility.PREFER_RECOMPILATION;
            default -> Compatibility.UNSUPPORTED;
        };
    }
}
