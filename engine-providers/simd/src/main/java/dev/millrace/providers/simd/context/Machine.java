package dev.millrace.providers.simd.context;

import dev.millrace.codegen.program.Target;
import dev.millrace.providers.spi.Compatibility;
import java.util.stream.Collectors;

/**
 * What contexts say of the machine that they were compiled on.
 *
 * @param format the version of plans
 * @param target the vectors that weights are packed for, and the instructions
 * @param needsTarget whether constants were kept in that target's layouts only
 */
public record Machine(int format, String target, boolean needsTarget) {
    private static final String PREFIX = "simd;";

    public static Machine of(Target target, boolean needsTarget) {
        String dots = target.dots().stream().map(Enum::name).sorted().collect(Collectors.joining("+"));
        String name = target.name() + "/" + target.lanes() + (dots.isEmpty() ? "" : "/" + dots);
        return new Machine(PlanFormat.VERSION, name, needsTarget);
    }

    /** The text that a context model carries. */
    public String info() {
        return PREFIX + "format=" + format + ";target=" + target + ";weights=" + (needsTarget ? "target" : "any");
    }

    /** How well what carries {@code info} suits this machine. */
    public Compatibility judge(String info) {
        if (!info.startsWith(PREFIX)) {
            return Compatibility.NOT_APPLICABLE;
        }
        if (info.equals(new Machine(format, target, true).info())
                || info.equals(new Machine(format, target, false).info())) {
            return Compatibility.OPTIMAL;
        }
        boolean known = info.startsWith(PREFIX + "format=" + format + ";");
        return known && info.endsWith(";weights=any") ? Compatibility.PREFER_RECOMPILATION : Compatibility.UNSUPPORTED;
    }
}
