package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Einsum: the extents of the letters, and of what the dots stand for, found in the inputs. */
final class EinsumRule {
    private static final String DOTS = "...";

    private final InferenceContext c;
    private final Map<Character, Dim> extents = new HashMap<>();
    private final Map<Character, Integer> counts = new TreeMap<>();
    private @Nullable List<Dim> broadcast = List.of();

    private EinsumRule(InferenceContext c) {
        this.c = c;
    }

    static void einsum(InferenceContext c) {
        c.set(0, c.element(0), new EinsumRule(c).dims());
    }

    private @Nullable List<Dim> dims() {
        String equation = c.attributes().text("equation").replace(" ", "");
        int arrow = equation.indexOf("->");
        String[] terms = (arrow < 0 ? equation : equation.substring(0, arrow)).split(",", -1);
        if (terms.length != c.inputs()) {
            throw c.refuse("equation '" + equation + "' has " + terms.length + " terms for " + c.inputs() + " inputs");
        }
        boolean dots = false;
        for (int i = 0; i < terms.length; i++) {
            dots |= terms[i].contains(DOTS);
            read(terms[i], c.dims(i));
        }
        String output = arrow >= 0 ? equation.substring(arrow + 2) : implicit(dots);
        return write(output);
    }

    private void read(String term, @Nullable List<Dim> dims) {
        int dotsAt = term.indexOf(DOTS);
        String letters = term.replace(DOTS, "");
        for (char letter : letters.toCharArray()) {
            if (!Character.isLetter(letter)) {
                throw c.refuse("term '" + term + "' of the equation has '" + letter + "' where a letter is expected");
            }
            counts.merge(letter, 1, Integer::sum);
            extents.putIfAbsent(letter, Dim.UNKNOWN);
        }
        if (dims == null) {
            broadcast = dotsAt < 0 ? broadcast : null;
            return;
        }
        int covered = dims.size() - letters.length();
        if (covered < 0 || dotsAt < 0 && covered > 0) {
            throw c.refuse("term '" + term + "' of the equation does not fit shape " + dims);
        }
        int at = 0;
        for (int i = 0; i < letters.length(); i++) {
            if (i == dotsAt) {
                at += covered;
            }
            Dim dim = dims.get(at++);
            extents.merge(letters.charAt(i), dim, this::common);
        }
        if (dotsAt >= 0) {
            broadcast = Dims.broadcast(broadcast, dims.subList(dotsAt, dotsAt + covered), c);
        }
    }

    private Dim common(Dim a, Dim b) {
        if (a == Dim.UNKNOWN) {
            return b;
        }
        Dim dim = Dims.broadcast(a, b);
        if (dim == null) {
            throw c.refuse("a letter of the equation stands for the extents " + a + " and " + b);
        }
        return dim;
    }

    private String implicit(boolean dots) {
        var output = new StringBuilder(dots ? DOTS : "");
        counts.forEach((letter, count) -> {
            if (count == 1) {
                output.append((char) letter);
            }
        });
        return output.toString();
    }

    private @Nullable List<Dim> write(String output) {
        var dims = new ArrayList<Dim>();
        for (int i = 0; i < output.length(); i++) {
            if (output.startsWith(DOTS, i)) {
                if (broadcast == null) {
                    return null;
                }
                dims.addAll(broadcast);
                i += DOTS.length() - 1;
                continue;
            }
            Dim dim = extents.get(output.charAt(i));
            if (dim == null) {
                throw c.refuse("the equation's result has '" + output.charAt(i) + "', which is in no input");
            }
            dims.add(dim);
        }
        return dims;
    }
}
