package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * An einsum equation: the letters of each input and of the result, with those that dots stand for spelled out.
 *
 * @param inputs one list for each input, a letter for each axis
 */
record EinsumEquation(List<List<String>> inputs, List<String> output) {
    private static final String DOTS = "...";

    static EinsumEquation parse(String equation, Shape[] shapes) {
        String text = equation.replace(" ", "");
        int arrow = text.indexOf("->");
        String[] terms = (arrow < 0 ? text : text.substring(0, arrow)).split(",", -1);
        if (terms.length != shapes.length) {
            throw EngineException.invalidGraph(
                    "einsum '" + equation + "' has " + terms.length + " terms for " + shapes.length + " inputs");
        }
        var inputs = new ArrayList<List<String>>();
        int dots = 0;
        for (int i = 0; i < terms.length; i++) {
            List<String> axes = axes(terms[i], shapes[i].rank());
            if (axes.size() != shapes[i].rank()) {
                throw EngineException.invalidArgument(
                        "einsum term '" + terms[i] + "' does not fit an input of shape " + shapes[i]);
            }
            dots = Math.max(dots, (int)
                    axes.stream().filter(axis -> axis.startsWith(".")).count());
            inputs.add(axes);
        }
        return new EinsumEquation(inputs, arrow < 0 ? implicit(terms, dots) : axes(text.substring(arrow + 2), -dots));
    }

    /** The letters of a term. Those that dots stand for are called ".1", ".2" and so on, from the last one. */
    private static List<String> axes(String term, int rank) {
        int at = term.indexOf(DOTS);
        String letters = term.replace(DOTS, "");
        int hidden = at < 0 ? 0 : rank <= 0 ? -rank : rank - letters.length();
        if (hidden < 0 || (rank > 0 && letters.length() + hidden != rank)) {
            throw EngineException.invalidArgument("einsum term '" + term + "' does not fit an input of rank " + rank);
        }
        var axes = new ArrayList<String>();
        for (int i = 0; i <= letters.length(); i++) {
            for (int dot = hidden; i == at && dot > 0; dot--) {
                axes.add("." + dot);
            }
            if (i < letters.length()) {
                axes.add(letters.substring(i, i + 1));
            }
        }
        return axes;
    }

    /** Without an arrow: what dots stand for, then the letters that occur once, in alphabetical order. */
    private static List<String> implicit(String[] terms, int dots) {
        var kept = new ArrayList<String>();
        for (int dot = dots; dot > 0; dot--) {
            kept.add("." + dot);
        }
        var counts = new TreeMap<String, Integer>();
        for (String term : terms) {
            for (char letter : term.replace(DOTS, "").toCharArray()) {
                counts.merge(String.valueOf(letter), 1, Integer::sum);
            }
        }
        counts.forEach((letter, count) -> {
            if (count == 1) {
                kept.add(letter);
            }
        });
        return kept;
    }
}
