package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.state.OpenSequence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one text: the encoder, the first step of the decoder, which also computes the caches of the encoder's results,
 * and a step for each token of all beams. The caches of the decoder's own tokens grow, the others stay as they are.
 */
final class EncoderDecoderRuns implements BeamModel {
    private static final String LOGITS = "logits";

    private final EncoderDecoder.Parts parts;
    private final Supplier<OpenSequence> sequences;
    private final Inputs encoderInputs;

    /** The inputs of the decoder that are the encoder's results; null before the encoder has run. */
    private @Nullable Map<String, Tensor> encoded;
    /** The caches of the encoder's results; null before the first step. */
    private @Nullable Map<String, Tensor> cross;

    private @Nullable OpenSequence own;
    private @Nullable BeamEntries entries;
    private int[][] words;
    private int cached;

    /** @param sequences begins a sequence of the caches of the decoder's own tokens */
    EncoderDecoderRuns(
            EncoderDecoder.Parts parts, Supplier<OpenSequence> sequences, Inputs encoderInputs, int[] prompt) {
        this.parts = parts;
        this.sequences = sequences;
        this.encoderInputs = encoderInputs;
        this.words = new int[][] {prompt};
    }

    private CrossDecoder decoder() {
        return cached > 0 ? parts.later() : parts.first();
    }

    @Override
    public Inference inference() {
        if (encoded == null) {
            return parts.encoder();
        }
        return cached > 0 && own != null ? own : decoder().session();
    }

    @Override
    public List<String> outputs() {
        if (encoded == null) {
            return List.of(parts.hidden());
        }
        var names = new ArrayList<String>();
        names.add(LOGITS);
        if (cross == null && parts.keepsCaches()) {
            parts.later().caches().forEach(cache -> names.add(parts.first().present(cache)));
        }
        return names;
    }

    @Override
    public Inputs inputs() {
        if (encoded == null) {
            return encoderInputs;
        }
        Inputs inputs = decoder().inputs(ordered(), cached);
        encoded.forEach((name, tensor) -> {
            if (decoder().reads(name)) {
                inputs.and(name, tensor);
            }
        });
        if (cached > 0 && cross != null) {
            cross.forEach(inputs::and);
        } else {
            decoder().noCaches(encoded).forEach(inputs::and);
        }
        return inputs;
    }

    /** Returns the tokens of the beams in the order of the entries of their caches. */
    private int[][] ordered() {
        int[][] rows = new int[words.length][];
        for (int beam = 0; beam < rows.length; beam++) {
            rows[entry(beam)] = words[beam];
        }
        return rows;
    }

    private int entry(int beam) {
        return entries == null ? beam : entries.entry(beam);
    }

    @Override
    public float @Nullable [][] taken(Outputs outputs) {
        if (encoded == null) {
            encoded = encoded(outputs.get(parts.hidden()));
            return null;
        }
        try {
            float[][] logits = new float[words.length][];
            for (int beam = 0; beam < logits.length; beam++) {
                logits[beam] = DecoderLogits.last(outputs.get(LOGITS), entry(beam), logits.length);
            }
            if (parts.keepsCaches()) {
                if (cross == null) {
                    keep(outputs);
                }
                cached = words[0].length;
            }
            return logits;
        } finally {
            outputs.get(LOGITS).close();
        }
    }

    private Map<String, Tensor> encoded(Tensor hidden) {
        if (hidden.shape().rank() < 2 || hidden.shape().dim(0) != 1) {
            throw EngineException.invalidArgument("the encoder's output '" + parts.hidden() + "' is a " + hidden
                    + ", and not the result of one text");
        }
        Tensor mask = encoderInputs.input("attention_mask") instanceof Tensor tensor ? tensor : null;
        return parts.first().encoded(hidden, mask);
    }

    /** Keeps the caches that the first step has computed. */
    private void keep(Outputs outputs) {
        var self = new LinkedHashMap<String, Tensor>();
        var others = new LinkedHashMap<String, Tensor>();
        for (String cache : parts.later().caches()) {
            (parts.later().isCross(cache) ? others : self)
                    .put(cache, outputs.get(parts.first().present(cache)));
        }
        cross = others;
        own = sequences.get();
        own.change(_ -> self);
    }

    @Override
    public void advance(int[] parents, int[][] longer) {
        words = longer;
        if (entries == null) {
            entries = new BeamEntries(parents.length);
            if (parents.length > 1) {
                expand(parents.length);
            }
            return;
        }
        List<BeamEntries.Copy> copies = entries.advance(parents);
        if (own != null && !copies.isEmpty()) {
            own.change(caches -> {
                copies.forEach(copy -> CacheCopies.move(caches, copy.from(), copy.to(), CacheCopies.WHOLE));
                return caches;
            });
        }
    }

    /** Gives each beam what the first one has. */
    private void expand(int beams) {
        encoded = expanded(encoded, beams);
        cross = expanded(cross, beams);
        if (own != null) {
            own.change(caches -> CacheCopies.all(caches, beams, CacheCopies.WHOLE));
        }
    }

    private static @Nullable Map<String, Tensor> expanded(@Nullable Map<String, Tensor> one, int beams) {
        if (one == null) {
            return null;
        }
        Map<String, Tensor> all = CacheCopies.all(one, beams, CacheCopies.WHOLE);
        one.values().forEach(Tensor::close);
        return all;
    }

    @Override
    public void end() {
        // no later text begins with these caches
    }

    @Override
    public void close() {
        if (own != null) {
            own.close();
        }
        for (Map<String, Tensor> held : Arrays.asList(encoded, cross)) {
            if (held != null) {
                held.values().forEach(Tensor::close);
            }
        }
    }
}
