package dev.millrace.cli.operators;

import dev.millrace.cli.operators.OperatorRow.Taken;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Formats rows of the table of operators as text, and as a page in Markdown. */
public final class OperatorText {
    private OperatorText() {}

    /** Returns one line for an operator: its versions, and the providers that take it. */
    public static String line(OperatorRow row) {
        return "%-34s %-22s %s"
                .formatted(row.op(), numbers(row.versions()), String.join("  ", takers(row)))
                .stripTrailing();
    }

    private static List<String> takers(OperatorRow row) {
        var takers = new ArrayList<String>();
        row.providers().forEach((name, taken) -> {
            String what = taken(row, taken);
            if (!what.isEmpty()) {
                takers.add(what.equals("all") ? name : name + " (" + what + ")");
            }
        });
        if (row.composed()) {
            takers.add("composed");
        }
        return takers;
    }

    /** Returns the part of an operator that a provider takes; {@code all} for the whole. */
    private static String taken(OperatorRow row, Taken taken) {
        if (taken.versions().isEmpty()) {
            return "";
        }
        String since = taken.versions().equals(row.versions()) ? "" : "in " + numbers(taken.versions());
        boolean all = taken.types().containsAll(row.types());
        String types = all ? "" : types(taken.types());
        return since.isEmpty() && all ? "all" : (since + " " + types).strip();
    }

    private static String numbers(List<Integer> versions) {
        return versions.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    /** Returns the names of types; {@code all} for every type. */
    private static String types(Set<ElementType> types) {
        var left = EnumSet.noneOf(ElementType.class);
        left.addAll(types);
        if (left.size() == ElementType.values().length) {
            return "all";
        }
        return left.stream().map(ElementType::onnxName).collect(Collectors.joining(" "));
    }

    /** Returns a page with a table for each domain. */
    public static String markdown(List<OperatorRow> rows) {
        var page = new StringBuilder("""
            # Operators

            `./millrace operators --markdown` prints this page. It lists every operator with a schema: the opsets in which it appeared or
            changed, the types that its first type variable permits, and the providers that run it. If a provider runs only some
            versions or types, they are named; types are those of the newest version. An operator that is *composed* is replaced by
            other operators before providers are asked. An operator that no provider runs is refused with a message that names it.
            """);
        String domain = "";
        for (OperatorRow row : rows) {
            if (!row.op().domain().equals(domain) || page.indexOf("|") < 0) {
                domain = row.op().domain();
                heading(page, domain, row);
            }
            page.append("| ").append(row.op().name()).append(" | ");
            page.append(numbers(row.versions())).append(" | ").append(types(row.types()));
            row.providers().values().forEach(taken -> page.append(" | ").append(taken(row, taken)));
            page.append(" | ").append(row.composed() ? "yes" : "").append(" |\n");
        }
        return page.toString();
    }

    private static void heading(StringBuilder page, String domain, OperatorRow row) {
        page.append("\n## ").append(domain.isEmpty() ? "ai.onnx" : domain).append("\n\n");
        page.append("| operator | versions | types");
        row.providers().keySet().forEach(name -> page.append(" | ").append(name));
        page.append(" | composed |\n|---|---|---");
        row.providers().keySet().forEach(_ -> page.append("|---"));
        page.append("|---|\n");
    }
}
