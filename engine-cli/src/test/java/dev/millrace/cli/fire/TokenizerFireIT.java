package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.fire.Guard.Outcome;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.text.Encoding;
import dev.millrace.text.Tokenizer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokenizers that were changed, and texts that mean harm: each ends with tokens, a text, or a refusal. */
@Tag("fuzz")
@Tag("slow")
class TokenizerFireIT {
    private static final int ATTEMPTS = 4_000;
    private static final int LONG = 30_000;
    private static final String[] PIECES = {
        "a",
        "b",
        "ab",
        "abc",
        " ",
        "\n",
        "<ab>",
        "<ab><",
        "[CLS]",
        "\u2581",
        "\u0301",
        "\u0316",
        "水",
        "\ud83e\udd80",
        "\ud83e",
        "é",
        "'s",
        "7",
        "\u1100\u1161",
        "\ufdfa",
        "x",
        "-",
        "\u0000"
    };

    private int answered;
    private int refused;
    private int stopped;

    @Test
    void tokenizersAnswerOrRefuse() throws Exception {
        Fire.attempts("tokenizers", ATTEMPTS, this, this::attack);
        assertThat(answered).isPositive();
        assertThat(refused).isPositive();
    }

    private void attack(Random random) {
        byte[] file = TokenizerMutator.draw(random);
        boolean early = random.nextInt(16) == 0;
        Outcome<Integer> outcome =
                Guard.outcome("a tokenizer (" + random + ")", cancellation -> use(file, random, cancellation, early));
        if (outcome.isAnswer()) {
            answered++;
        } else if (outcome.refusal() == null) {
            stopped++;
        } else {
            refused++;
            if (outcome.refusal().getCause() instanceof OutOfMemoryError) {
                throw new AssertionError("a tokenizer (" + random + ") takes memory without bound", outcome.refusal());
            }
        }
    }

    private static int use(byte[] file, Random random, Cancellation cancellation, boolean early) {
        Tokenizer tokenizer = Tokenizer.of(file).cancelledBy(cancellation);
        if (early) {
            cancellation.cancel();
            requireCancelled(tokenizer, text(random, LONG));
        }
        tokenizer = how(tokenizer, random);
        String text = text(random, random.nextInt(20) == 0 ? LONG : 40);
        Encoding encoding = tokenizer.encode(text);
        assertThat(encoding.mask()).hasSize(encoding.length());
        assertThat(encoding.tokens()).hasSize(encoding.length());
        for (int i = 0; i < Math.min(100, encoding.length()); i++) {
            assertThat(encoding.end(i)).isBetween(encoding.start(i), text.length());
        }
        tokenizer.encode(text(random, 20), text(random, 20));
        List<Encoding> batch = tokenizer.encodeAll(List.of(text(random, 20), "", text(random, 5)));
        tokenizer.decode(encoding.ids());
        return batch.size() + tokenizer.decode(ids(random)).length();
    }

    private static void requireCancelled(Tokenizer tokenizer, String text) {
        try {
            tokenizer.encode(text);
        } catch (EngineException e) {
            assertThat(e.status()).isIn(Status.CANCELLED, Status.INVALID_ARGUMENT);
        }
    }

    private static Tokenizer how(Tokenizer tokenizer, Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> tokenizer.cutTo(random.nextInt(12));
            case 1 -> tokenizer.paddedTo(random.nextInt(50));
            case 2 -> tokenizer.unbounded();
            case 3 -> tokenizer.withoutMarks();
            default -> tokenizer;
        };
    }

    private static String text(Random random, int longest) {
        var text = new StringBuilder();
        int length = 1 + random.nextInt(longest);
        if (random.nextInt(3) == 0) {
            return PIECES[random.nextInt(PIECES.length)].repeat(length);
        }
        while (text.length() < length) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    private static long[] ids(Random random) {
        long[] hostile = {-1, 0, 1, 3, 6, 9, 20, 21, Integer.MAX_VALUE, 1L << 31, 1L << 40, Long.MIN_VALUE, 200_000_000
        };
        return random.longs(random.nextInt(30), 0, hostile.length)
                .map(i -> hostile[(int) i])
                .toArray();
    }

    @Override
    public String toString() {
        return answered + " answered, " + refused + " refused, " + stopped + " stopped";
    }
}
