package dev.millrace.graph.ir;

import dev.millrace.graph.EngineException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Which functions of a model call which. */
final class FunctionCalls {
    private static final int MOST_SHOWN = 16;

    private FunctionCalls() {}

    /** Throws where a function calls itself, directly or through others, and names those on the way. */
    static void refuseCycles(Map<Function.Id, Function> functions) {
        var calls = new HashMap<Function.Id, Set<Function.Id>>();
        functions.forEach((id, function) -> calls.put(id, callees(function.body(), functions)));
        var done = new LinkedHashSet<Function.Id>();
        for (Function.Id root : functions.keySet()) {
            visit(root, calls, done);
        }
    }

    private static void visit(Function.Id root, Map<Function.Id, Set<Function.Id>> calls, Set<Function.Id> done) {
        var path = new LinkedHashSet<Function.Id>();
        var pending = new ArrayDeque<Iterator<Function.Id>>();
        pending.push(List.of(root).iterator());
        while (!pending.isEmpty()) {
            if (!pending.peek().hasNext()) {
                pending.pop();
                if (!path.isEmpty()) {
                    done.add(path.removeLast());
                }
                continue;
            }
            Function.Id next = pending.peek().next();
            if (path.contains(next)) {
                throw EngineException.invalidGraph("functions call each other in a circle: " + describe(path, next));
            }
            if (!done.contains(next)) {
                path.add(next);
                pending.push(calls.getOrDefault(next, Set.of()).iterator());
            }
        }
    }

    private static String describe(Set<Function.Id> path, Function.Id first) {
        var circle = new ArrayList<>(path);
        circle.subList(0, circle.indexOf(first)).clear();
        circle.add(first);
        return circle.stream().limit(MOST_SHOWN).map(id -> id.op().toString()).collect(Collectors.joining(" -> "));
    }

    private static Set<Function.Id> callees(Graph body, Map<Function.Id, Function> functions) {
        var found = new LinkedHashSet<Function.Id>();
        var open = new ArrayDeque<Graph>();
        open.push(body);
        while (!open.isEmpty()) {
            for (Node node : open.pop().nodes()) {
                var id = new Function.Id(node.op(), node.overload());
                if (functions.containsKey(id)) {
                    found.add(id);
                }
                node.attributes().graphs().forEach(open::push);
            }
        }
        return found;
    }
}
