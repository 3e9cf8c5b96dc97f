package dev.millrace.session.generate;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.request.GrowingCaches;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of a decoder's steps, without the caches.
 *
 * @param branch the input that says whether the caches are filled
 * @param fixed the inputs that every step is given
 * @param room the mask that has zeros behind the tokens, as long as the caches have room for; null if they have none
 * @param contextLength the model's context length in tokens; 0 if it is not known
 */
record StepInputs(
        DecoderInput ids,
        @Nullable DecoderInput mask,
        @Nullable DecoderInput positions,
        @Nullable DecoderInput branch,
        Map<String, Tensor> fixed,
        @Nullable DecoderInput room,
        int contextLength) {

    /** Returns these inputs with other values that every step is given. */
    StepInputs with(Map<String, Tensor> values) {
        return new StepInputs(ids, mask, positions, branch, Map.copyOf(values), room, contextLength);
    }

    /** Whether the size of a batch is open in all inputs. */
    boolean takeBatch() {
        return Stream.of(ids, mask, positions, room).allMatch(input -> input == null || input.takesBatch());
    }

    /** The names of the inputs, except for the mask that a model does not have itself. */
    Set<String> names() {
        var names = new LinkedHashSet<>(fixed.keySet());
        for (DecoderInput input : Arrays.asList(ids, mask, positions, branch, room)) {
            if (input != null && !input.name().equals(GrowingCaches.MASK.name())) {
                names.add(input.name());
            }
        }
        return names;
    }

    /**
     * Returns the inputs of a step behind caches that already cover {@code cached} tokens.
     *
     * @param count the number of tokens after the step
     * @param later the number of tokens for which caches get room
     */
    Inputs of(int[] words, int cached, int count, int later) {
        int length = count - cached;
        Inputs inputs = Inputs.of(fixed);
        inputs.and(ids.name(), ids.row(length, i -> words[cached + i]));
        if (mask != null) {
            inputs.and(mask.name(), mask.row(mask.lengthOr(count), i -> i < count ? 1 : 0));
        }
        if (room != null) {
            int steps = DecoderCaches.room(later, contextLength);
            inputs.and(room.name(), room.row(room.lengthOr(steps), i -> i < count ? 1 : 0));
        }
        if (positions != null) {
            inputs.and(positions.name(), positions.row(length, i -> cached + i));
        }
        if (branch != null) {
            inputs.and(branch.name(), branch.single(cached > 0 ? 1 : 0));
        }
        return inputs;
    }

    /** Returns the inputs of a step of one token. */
    Inputs of(int word, int cached) {
        int[] words = new int[cached + 1];
        words[cached] = word;
        return of(words, cached, cached + 1, cached + 1);
    }

    /**
     * Returns the inputs of a step of one token of each entry of a batch, without the caches.
     *
     * @param cached the numbers of tokens that the caches cover
     * @param steps the number of tokens that the caches have room for
     */
    Inputs of(int[] words, int[] cached, int steps) {
        Inputs inputs = Inputs.of(fixed);
        inputs.and(ids.name(), ids.rows(words.length, 1, (entry, _) -> words[entry]));
        if (room != null) {
            inputs.and(room.name(), room.rows(words.length, steps, (entry, i) -> i <= cached[entry] ? 1 : 0));
        }
        if (positions != null) {
            inputs.and(positions.name(), positions.rows(words.length, 1, (entry, _) -> cached[entry]));
        }
        return inputs;
    }

    /**
     * Returns the inputs of a step of each entry of a batch, without the caches.
     *
     * @param rows all tokens of each entry, as many for all
     * @param cached the number of tokens that the caches cover
     * @param count the number of tokens after the step
     */
    Inputs of(int[][] rows, int cached, int count) {
        int length = count - cached;
        Inputs inputs = Inputs.of(fixed);
        inputs.and(ids.name(), ids.rows(rows.length, length, (entry, i) -> rows[entry][cached + i]));
        if (mask != null) {
            inputs.and(mask.name(), mask.rows(rows.length, mask.lengthOr(count), (_, i) -> i < count ? 1 : 0));
        }
        if (room != null) {
            int steps = DecoderCaches.room(count, contextLength);
            inputs.and(room.name(), room.rows(rows.length, room.lengthOr(steps), (_, i) -> i < count ? 1 : 0));
        }
        if (positions != null) {
            inputs.and(positions.name(), positions.rows(rows.length, length, (_, i) -> cached + i));
        }
        if (branch != null) {
            inputs.and(branch.name(), branch.single(cached > 0 ? 1 : 0));
        }
        return inputs;
    }
}
