package dev.millrace.text;

import dev.millrace.session.generate.TokenConstraint;
import java.util.BitSet;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Answers of a model that says any allowed token, and soon prefers those that bring the answer to its end. */
final class Answers {
    private static final int MOST_TOKENS = 20_000;
    private static final int SOON = 30;

    private final Tokenizer tokenizer;
    private final long[] prompt;
    private final int[] closing;
    private final SplittableRandom random;

    /** @param closing the characters whose tokens bring an answer to its end */
    Answers(Tokenizer tokenizer, SplittableRandom random, String closing) {
        this.tokenizer = tokenizer;
        this.random = random;
        prompt = tokenizer.encode("A").ids();
        this.closing = closing.codePoints()
                .mapToObj(Character::toString)
                .flatMapToInt(
                        each -> LongStream.of(tokenizer.encode(each).ids()).mapToInt(id -> (int) id))
                .distinct()
                .toArray();
    }

    /** Returns the text of an answer; throws if it does not end. */
    String answer(TokenConstraint constraint) {
        TokenConstraint.State state = constraint.begin(prompt);
        var detokenizer = new Detokenizer(tokenizer, prompt);
        var text = new StringBuilder();
        for (int count = 0; count < MOST_TOKENS; count++) {
            BitSet allowed = Objects.requireNonNull(state.allowed());
            boolean mayEnd = state.mayEnd();
            if (allowed.isEmpty() && !mayEnd) {
                throw new IllegalStateException("no way on behind " + text);
            }
            if (mayEnd && (allowed.isEmpty() || random.nextInt(SOON) < 3 + count)) {
                return text.append(detokenizer.end()).toString();
            }
            int token = chosen(allowed, count);
            state.accept(token);
            text.append(detokenizer.add(token));
        }
        throw new IllegalStateException("no end behind " + text);
    }

    private int chosen(BitSet allowed, int count) {
        if (random.nextInt(2 * SOON) < Math.min(SOON, count - SOON)) {
            int[] possible = IntStream.of(closing).filter(allowed::get).toArray();
            if (possible.length > 0) {
                return possible[random.nextInt(possible.length)];
            }
        }
        int from = random.nextInt(allowed.length());
        int id = allowed.nextSetBit(from);
        return id < 0 ? allowed.nextSetBit(0) : id;
    }
}
