package dev.millrace.text.template;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The variable {@code loop} of a loop. */
final class LoopState {
    private final List<? extends @Nullable Object> items;
    private int index = -1;
    private @Nullable List<@Nullable Object> lastChanged;

    LoopState(List<? extends @Nullable Object> items) {
        this.items = items;
    }

    void advance() {
        index++;
    }

    @Nullable
    Object attribute(String name) {
        return switch (name) {
            case "index" -> index + 1L;
            case "index0" -> (long) index;
            case "revindex" -> (long) items.size() - index;
            case "revindex0" -> items.size() - index - 1L;
            case "first" -> index == 0;
            case "last" -> index == items.size() - 1;
            case "length" -> (long) items.size();
            case "depth" -> 1L;
            case "depth0" -> 0L;
            case "previtem" -> at(index - 1);
            case "nextitem" -> at(index + 1);
            case "cycle" -> (TemplateFunction) this::cycle;
            case "changed" -> (TemplateFunction) this::changed;
            default -> new Undefined("'loop' has no attribute '" + name + "'");
        };
    }

    private @Nullable Object at(int place) {
        return place >= 0 && place < items.size() ? items.get(place) : new Undefined("the loop has no such item");
    }

    private @Nullable Object cycle(Arguments arguments, Steps steps) {
        if (arguments.positional().isEmpty()) {
            throw new Failure("'cycle' needs an item");
        }
        return arguments.positional().get(index % arguments.positional().size());
    }

    private Object changed(Arguments arguments, Steps steps) {
        boolean same = lastChanged != null && ValueComparisons.equal(lastChanged, arguments.positional(), steps);
        lastChanged = new ArrayList<>(arguments.positional());
        return !same;
    }
}
