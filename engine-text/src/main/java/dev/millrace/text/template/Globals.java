package dev.millrace.text.template;

import java.time.Clock;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The functions that every template can call. */
final class Globals {
    private Globals() {}

    static Map<String, TemplateFunction> all(Clock clock) {
        var all = new LinkedHashMap<String, TemplateFunction>();
        all.put("range", Globals::range);
        all.put("namespace", (arguments, _) -> Namespace.of(merged("namespace", arguments)));
        all.put("dict", (arguments, _) -> merged("dict", arguments));
        all.put("joiner", Globals::joiner);
        all.put("cycler", Globals::cycler);
        all.put("raise_exception", Globals::raise);
        all.put("strftime_now", (arguments, _) -> {
            String format = arguments.bound("strftime_now", List.of("format")).text("format");
            return DateFormat.of(format, ZonedDateTime.now(clock));
        });
        return all;
    }

    private static Object range(Arguments arguments, Steps steps) {
        int count = arguments.positional().size();
        Arguments given = arguments.bound("range", count < 2 ? List.of("stop") : List.of("start", "stop", "step"));
        return new IntegerRange(given.integer("start", 0), given.integer("stop"), given.integer("step", 1));
    }

    /** Returns the entries of a dict, if one is passed, and the arguments with names. */
    private static Map<String, @Nullable Object> merged(String name, Arguments arguments) {
        var all = new LinkedHashMap<String, @Nullable Object>();
        List<@Nullable Object> positional = arguments.positional();
        if (positional.size() > 1 || positional.size() == 1 && !(positional.getFirst() instanceof Map)) {
            throw new Failure("'" + name + "' takes one dict, and arguments with names");
        }
        if (positional.size() == 1 && positional.getFirst() instanceof Map<?, ?> map) {
            map.forEach((key, value) -> all.put(textKey(name, key), value));
        }
        all.putAll(arguments.named());
        return all;
    }

    private static String textKey(String name, @Nullable Object key) {
        if (key instanceof String text) {
            return text;
        }
        throw new Failure("'" + name + "' takes a dict whose keys are strings");
    }

    /** Returns a function that returns nothing at its first call, and a separator later. */
    private static Object joiner(Arguments arguments, Steps steps) {
        Object separator = arguments.bound("joiner", List.of("sep")).get("sep", ", ");
        Namespace state = Namespace.of(Map.of());
        return (TemplateFunction) (_, _) -> state.attributes().put("used", true) == null ? "" : separator;
    }

    /** Returns a value whose {@code next} returns its items in turns. */
    private static Object cycler(Arguments arguments, Steps steps) {
        List<@Nullable Object> items = arguments.positional();
        if (items.isEmpty()) {
            throw new Failure("'cycler' needs an item");
        }
        Namespace cycler = Namespace.of(Map.of());
        Map<String, @Nullable Object> state = cycler.attributes();
        int[] next = {0};
        Runnable show = () -> state.put("current", items.get(next[0]));
        show.run();
        state.put("next", (TemplateFunction) (_, _) -> {
            Object current = state.get("current");
            next[0] = (next[0] + 1) % items.size();
            show.run();
            return current;
        });
        state.put("reset", (TemplateFunction) (_, _) -> {
            next[0] = 0;
            show.run();
            return null;
        });
        return cycler;
    }

    private static Object raise(Arguments arguments, Steps steps) {
        throw new Failure(Texts.text(
                arguments.bound("raise_exception", List.of("message")).get("message"), steps));
    }
}
