package dev.millrace.graph.quantize;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The weights that a user selects by patterns of names of nodes or weights. */
final class NameSelection {
    private final List<Glob> include;
    private final List<Glob> exclude;
    private final Set<Glob> unused = new HashSet<>();

    /** A pattern in which {@code *} stands for any text and {@code ?} for a character. */
    private record Glob(String text, Pattern pattern) {
        static Glob of(String text) {
            var regex = new StringBuilder();
            for (char c : text.toCharArray()) {
                regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
            }
            return new Glob(text, Pattern.compile(regex.toString(), Pattern.DOTALL));
        }

        boolean fits(String name) {
            return pattern.matcher(name).matches();
        }
    }

    NameSelection(QuantizeOptions options) {
        include = options.include().stream().map(Glob::of).toList();
        exclude = options.exclude().stream().map(Glob::of).toList();
        unused.addAll(include);
        unused.addAll(exclude);
    }

    /** Whether a node that reads a weight is selected. */
    boolean selects(String node, String weight) {
        boolean included = fits(include, node, weight) || include.isEmpty();
        boolean excluded = fits(exclude, node, weight);
        return included && !excluded;
    }

    private boolean fits(List<Glob> patterns, String node, String weight) {
        boolean any = false;
        for (Glob each : patterns) {
            if (each.fits(node) || each.fits(weight)) {
                unused.remove(each);
                any = true;
            }
        }
        return any;
    }

    /** Refuses patterns that fitted nothing, which are most likely misspelt. */
    void requireUsed() {
        var texts = new ArrayList<String>();
        unused.forEach(each -> texts.add("'" + each.text + "'"));
        if (!texts.isEmpty()) {
            texts.sort(null);
            throw EngineException.invalidArgument("nothing that could be quantised is named "
                    + String.join(" or ", texts) + ", neither a node nor a weight");
        }
    }
}
