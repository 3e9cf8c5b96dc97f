package dev.millrace.pipelines.audio;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.ValueInfo;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The models of wake words: samples to mel frames, mel frames to speech embeddings, and embeddings to the score of each word.
 *
 * @param words the classifiers by the names of their words
 */
record WakeModels(Inference mel, Inference embedding, Map<String, Inference> words) {
    /** The mel frames that one embedding covers. */
    static final int MEL_FRAMES = 76;
    /** The mel filters. */
    static final int BINS = 32;
    /** The embeddings that a classifier sees unless its input says so. */
    static final int USUAL_EMBEDDINGS = 16;

    private static final int RANK = 3;
    private static final float FULL_SCALE = 32768;

    WakeModels {
        StageArguments.require(mel, "mel");
        StageArguments.require(embedding, "embedding");
        if (StageArguments.require(words, "words").isEmpty()) {
            throw EngineException.invalidArgument("there is no wake word: pass a classifier for each word by its name");
        }
        words = Collections.unmodifiableMap(new LinkedHashMap<>(words));
        words.forEach((word, classifier) -> StageArguments.require(classifier, "words[" + word + "]"));
    }

    /** Returns the number of embeddings that a classifier sees, from its input {@code [1, embeddings, features]}. */
    static int embeddings(Inference classifier) {
        ValueInfo input = classifier.inputs().getFirst();
        if (input.type() instanceof ValueType.TensorType tensor
                && tensor.shape() != null
                && tensor.shape().rank() == RANK
                && tensor.shape().dim(1) instanceof Dim.Known count) {
            return Math.toIntExact(count.extent());
        }
        return USUAL_EMBEDDINGS;
    }

    private static Inputs inputs(Inference model, Tensor tensor) {
        return Inputs.of(model.inputs().getFirst().name(), tensor);
    }

    /** Returns the inputs of the mel spectrogram, which are samples of 16 bits as floats. */
    Inputs samples(float[] samples) {
        float[] scaled = new float[samples.length];
        for (int i = 0; i < samples.length; i++) {
            scaled[i] = samples[i] * FULL_SCALE;
        }
        return inputs(mel, Tensor.copyOf(scaled, 1, scaled.length));
    }

    /** Returns mel frames as the embedding model was trained on them. */
    static float[] melFrames(Outputs outputs) {
        try (outputs) {
            float[] frames = outputs.get(0).floats();
            if (frames.length == 0 || frames.length % BINS != 0) {
                throw EngineException.invalidArgument("the mel spectrogram model answers "
                        + outputs.get(0).shape() + "; a spectrogram of wake word models has " + BINS + " bins");
            }
            float[] scaled = new float[frames.length];
            for (int i = 0; i < frames.length; i++) {
                scaled[i] = frames[i] / 10 + 2;
            }
            return scaled;
        }
    }

    Inputs melFrames(FeatureWindow frames) {
        return inputs(embedding, frames.last(MEL_FRAMES, 1, MEL_FRAMES, BINS, 1));
    }

    static float[] features(Outputs outputs) {
        try (outputs) {
            return outputs.get(0).floats();
        }
    }

    static Inputs embeddings(Inference classifier, FeatureWindow embeddings, int features) {
        int count = embeddings(classifier);
        return inputs(classifier, embeddings.last(count, 1, count, features));
    }

    static double score(String word, Outputs outputs) {
        try (outputs) {
            float[] scores = outputs.get(0).floats();
            if (scores.length != 1) {
                throw EngineException.invalidArgument("the classifier of '" + word + "' answers " + scores.length
                        + " numbers; that of a wake word answers one score");
            }
            return scores[0];
        }
    }
}
