package dev.millrace.text.postprocessor;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.vocabulary.TextToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The post-processor of a tokenizer: adds special tokens around one text or two, and the types of the tokens. */
public final class TokenTemplate {
    private static final String TEXT = "A";
    private static final String PAIR = "B";

    /**
     * The largest number of texts and special tokens, far above any format: a file may repeat a mark of many tokens any
     * number of times.
     */
    private static final int MOST_MARKS = 1 << 12;

    private final List<Slot> single;
    private final List<Slot> pair;
    private final UnaryOperator<List<TextToken>> trimming;

    /** A slot for a text, or special tokens. */
    private record Slot(@Nullable String text, List<TextToken> marks, int type) {
        static Slot text(String name, int type) {
            return new Slot(name, List.of(), type);
        }

        static Slot mark(TextToken mark, int type) {
            return new Slot(null, List.of(mark), type);
        }
    }

    private TokenTemplate(List<Slot> single, List<Slot> pair, UnaryOperator<List<TextToken>> trimming) {
        this.single = List.copyOf(single);
        this.pair = List.copyOf(pair);
        this.trimming = trimming;
    }

    /** Creates the post-processor of a description; without one, only the texts remain. */
    public static TokenTemplate of(Json description) {
        if (description.isNull()) {
            return bare(UnaryOperator.identity());
        }
        return switch (description.type()) {
            case "TemplateProcessing" -> template(description);
            case "BertProcessing" -> bert(description);
            case "RobertaProcessing" -> roberta(description);
            case "ByteLevel" -> bare(trimming(description));
            case "Sequence" -> sequence(description.get("processors").elements());
            default -> throw description.unknown("post-processor");
        };
    }

    private static TokenTemplate bare(UnaryOperator<List<TextToken>> trimming) {
        return new TokenTemplate(
                List.of(Slot.text(TEXT, 0)), List.of(Slot.text(TEXT, 0), Slot.text(PAIR, 1)), trimming);
    }

    /** Combines post-processors: the last one that adds special tokens does so, and all of them trim. */
    private static TokenTemplate sequence(List<Json> parts) {
        List<TokenTemplate> all = parts.stream().map(TokenTemplate::of).toList();
        TokenTemplate made = bare(UnaryOperator.identity());
        for (TokenTemplate next : all) {
            boolean frames = next.single.size() > 1 || next.pair.size() > 2;
            made = frames ? next : made;
        }
        return new TokenTemplate(made.single, made.pair, tokens -> {
            List<TextToken> trimmed = tokens;
            for (TokenTemplate each : all) {
                trimmed = each.trimming.apply(trimmed);
            }
            return trimmed;
        });
    }

    private static TokenTemplate template(Json description) {
        Map<String, Json> marks = description.get("special_tokens").properties();
        return new TokenTemplate(
                slots(description.get("single"), marks),
                slots(description.get("pair"), marks),
                UnaryOperator.identity());
    }

    private static List<Slot> slots(Json list, Map<String, Json> marks) {
        var slots = new ArrayList<Slot>();
        var known = new HashMap<String, List<TextToken>>();
        int count = 0;
        for (Json piece : list.elements()) {
            Json sequence = piece.get("Sequence");
            Json special = piece.get("SpecialToken");
            if (!sequence.isNull()) {
                slots.add(Slot.text(
                        sequence.get("id").text(), sequence.get("type_id").integer(0)));
            } else {
                String name = special.get("id").text();
                Json mark = marks.get(name);
                if (mark == null) {
                    throw special.refused("special_tokens has no '" + name + "'");
                }
                List<TextToken> tokens = known.computeIfAbsent(name, _ -> tokens(mark));
                count += tokens.size();
                slots.add(new Slot(null, tokens, special.get("type_id").integer(0)));
            }
            if (slots.size() > MOST_MARKS || count > MOST_MARKS) {
                throw list.refused("a format has at most " + MOST_MARKS + " texts and marks");
            }
        }
        return slots;
    }

    private static List<TextToken> tokens(Json mark) {
        List<Json> ids = mark.get("ids").elements();
        List<Json> texts = mark.get("tokens").elements();
        var tokens = new ArrayList<TextToken>();
        for (int i = 0; i < ids.size(); i++) {
            String text = i < texts.size() ? texts.get(i).text() : "";
            tokens.add(new TextToken(ids.get(i).id(), text, 0, 0));
        }
        return List.copyOf(tokens);
    }

    private static TextToken mark(Json pair) {
        List<Json> parts = pair.elements();
        if (parts.size() != 2) {
            throw pair.refused("a mark is a text and its number");
        }
        return new TextToken(parts.get(1).id(), parts.get(0).text(), 0, 0);
    }

    private static TokenTemplate bert(Json description) {
        TextToken cls = mark(description.get("cls"));
        TextToken sep = mark(description.get("sep"));
        List<Slot> single = List.of(Slot.mark(cls, 0), Slot.text(TEXT, 0), Slot.mark(sep, 0));
        var pair = new ArrayList<>(single);
        pair.addAll(List.of(Slot.text(PAIR, 1), Slot.mark(sep, 1)));
        return new TokenTemplate(single, pair, UnaryOperator.identity());
    }

    private static TokenTemplate roberta(Json description) {
        TextToken cls = mark(description.get("cls"));
        TextToken sep = mark(description.get("sep"));
        List<Slot> single = List.of(Slot.mark(cls, 0), Slot.text(TEXT, 0), Slot.mark(sep, 0));
        var pair = new ArrayList<>(single);
        pair.addAll(List.of(Slot.mark(sep, 0), Slot.text(PAIR, 0), Slot.mark(sep, 0)));
        return new TokenTemplate(single, pair, trimming(description));
    }

    private static UnaryOperator<List<TextToken>> trimming(Json description) {
        boolean prepends = description.get("add_prefix_space").flag(true);
        return description.get("trim_offsets").flag(true)
                ? tokens -> OffsetTrimming.trim(tokens, prepends)
                : UnaryOperator.identity();
    }

    /** The number of special tokens that it adds. */
    public int added(boolean isPair) {
        return (isPair ? pair : single)
                .stream().mapToInt(slot -> slot.marks().size()).sum();
    }

    /** Returns the tokens with offsets that exclude spaces, where the format says so. */
    public List<TextToken> trimmed(List<TextToken> tokens) {
        return trimming.apply(tokens);
    }

    /** Returns all tokens in their order, with special tokens if {@code withMarks}. */
    public List<Placed> place(List<TextToken> text, @Nullable List<TextToken> other, boolean withMarks, Budget budget) {
        var placed = new ArrayList<Placed>();
        for (Slot slot : other == null ? single : pair) {
            List<TextToken> tokens =
                    slot.text() == null ? slot.marks() : slot.text().equals(TEXT) ? text : other;
            if (tokens != null && (withMarks || slot.text() != null)) {
                budget.requireLength((long) placed.size() + tokens.size());
                int index = slot.text() == null ? -1 : slot.text().equals(TEXT) ? 0 : 1;
                tokens.forEach(token -> placed.add(new Placed(token, slot.type(), index)));
            }
        }
        return placed;
    }
}
