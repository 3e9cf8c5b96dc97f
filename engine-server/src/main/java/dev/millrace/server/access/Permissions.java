package dev.millrace.server.access;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The models that a token may use and may load, by patterns of their names in which an asterisk is any text. */
public final class Permissions {
    /** Everything, the settings of the server included. */
    public static final Permissions ALL = new Permissions(true, List.of(), List.of());

    public static final Permissions NONE = new Permissions(false, List.of(), List.of());

    private final boolean all;
    private final List<Pattern> infer;
    private final List<Pattern> admin;

    private Permissions(boolean all, List<Pattern> infer, List<Pattern> admin) {
        this.all = all;
        this.infer = infer;
        this.admin = admin;
    }

    public static Permissions of(List<String> infer, List<String> admin) {
        return new Permissions(false, patterns(infer), patterns(admin));
    }

    private static List<Pattern> patterns(List<String> names) {
        return names.stream()
                .map(name ->
                        Arrays.stream(name.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")))
                .map(regex -> Pattern.compile(regex, Pattern.DOTALL))
                .toList();
    }

    private static boolean matches(List<Pattern> patterns, String model) {
        return patterns.stream().anyMatch(each -> each.matcher(model).matches());
    }

    private boolean mayInfer(String model) {
        return all || matches(infer, model);
    }

    private boolean mayChange(String model) {
        return all || matches(admin, model);
    }

    /** Whether a model is told of: its state, its metadata, its statistics. */
    public boolean maySee(String model) {
        return mayInfer(model) || mayChange(model);
    }

    public void requireSee(String model) {
        require(maySee(model), "ask for model '" + model + "'");
    }

    public void requireInfer(String model) {
        require(mayInfer(model), "use model '" + model + "'");
    }

    /** Requires that the model may be loaded and unloaded. */
    public void requireChange(String model) {
        require(mayChange(model), "load or unload model '" + model + "'");
    }

    public void requireAll() {
        require(all, "do that: it takes a token without limits");
    }

    private static void require(boolean permitted, String what) {
        if (!permitted) {
            throw new AccessDenied("the token may not " + what);
        }
    }
}
