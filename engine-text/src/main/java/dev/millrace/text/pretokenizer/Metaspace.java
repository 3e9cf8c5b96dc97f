package dev.millrace.text.pretokenizer;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import dev.millrace.text.pattern.Literal;
import dev.millrace.text.pattern.Search;
import java.util.List;

/** Spaces become a char that can be seen, and each word begins with it. */
final class Metaspace implements Splitter {
    private static final Search SPACE = new Literal(" ");

    /** Which texts get such a char before them. */
    private enum Prepend {
        ALWAYS,
        FIRST,
        NEVER
    }

    private final String mark;
    private final Prepend prepend;
    private final Splitter words;

    Metaspace(Json description) {
        mark = description.get("replacement").text("\u2581");
        prepend = prepend(description);
        words = description.get("split").flag(true)
                ? new PatternSplits(new Literal(mark), PatternSplits.Behaviour.MERGED_WITH_NEXT, false)
                : (text, budget) -> List.of(text);
    }

    private static Prepend prepend(Json description) {
        Json scheme = description.get("prepend_scheme");
        if (scheme.isNull()) {
            return description.get("add_prefix_space").flag(true) ? Prepend.ALWAYS : Prepend.NEVER;
        }
        return switch (scheme.text()) {
            case "always" -> Prepend.ALWAYS;
            case "first" -> Prepend.FIRST;
            case "never" -> Prepend.NEVER;
            default -> throw scheme.refused("there is no such scheme");
        };
    }

    @Override
    public List<Aligned> split(Aligned text, Budget budget) {
        Aligned marked = text.replace(SPACE, mark, budget);
        boolean wants = prepend == Prepend.ALWAYS || prepend == Prepend.FIRST && text.isFirst();
        Aligned begun = wants && !marked.text().startsWith(mark) ? marked.prepend(mark, budget) : marked;
        return words.split(begun, budget);
    }
}
