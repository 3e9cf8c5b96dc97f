package dev.millrace.bench.reference;

import static java.lang.foreign.ValueLayout.ADDRESS;

import ai.onnxruntime.OrtException;
import dev.millrace.bench.reference.OrtApi.Call;
import dev.millrace.bench.reference.OrtApi.Release;
import dev.millrace.graph.tensor.Datum;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A model in ONNX Runtime, with all its optimisations and every type of input and output that it has. */
public final class OnnxRuntimeSession implements AutoCloseable {
    private static final int QUIET = 4;
    private static final int ALL_OPTIMISATIONS = 99;

    private final OrtApi api;
    private final OrtValues values;
    private final MemorySegment session;
    private final List<String> outputs;

    /** ONNX Runtime, loaded once. */
    public static final class Runtime {
        private final OrtApi api = OrtApi.load();
        private final OrtValues values;
        private final MemorySegment environment;

        public Runtime() throws OrtException {
            values = new OrtValues(api);
            try (Arena arena = Arena.ofConfined()) {
                environment = api.get(Call.CREATE_ENV, QUIET, arena.allocateFrom("agree"));
            }
        }

        public OnnxRuntimeSession session(Path model, int threads) throws OrtException {
            MemorySegment options = api.get(Call.CREATE_SESSION_OPTIONS);
            try (Arena arena = Arena.ofConfined()) {
                api.call(Call.SET_INTRA_OP_THREADS, options, threads);
                api.call(Call.SET_OPTIMIZATION_LEVEL, options, ALL_OPTIMISATIONS);
                boolean wide = File.separatorChar == '\\';
                MemorySegment path =
                        arena.allocateFrom(model.toString(), wide ? StandardCharsets.UTF_16LE : StandardCharsets.UTF_8);
                return new OnnxRuntimeSession(this, api.get(Call.CREATE_SESSION, environment, path, options));
            } finally {
                api.release(Release.SESSION_OPTIONS, options);
            }
        }
    }

    private OnnxRuntimeSession(Runtime runtime, MemorySegment session) throws OrtException {
        this.api = runtime.api;
        this.values = runtime.values;
        this.session = session;
        this.outputs = names();
    }

    private List<String> names() throws OrtException {
        long all = api.getLong(Call.OUTPUT_COUNT, session);
        MemorySegment allocator = api.get(Call.DEFAULT_ALLOCATOR);
        var names = new ArrayList<String>();
        for (long i = 0; i < all; i++) {
            MemorySegment text = api.get(Call.OUTPUT_NAME, session, i, allocator);
            names.add(OrtApi.text(text));
            api.call(Call.FREE, allocator, text);
        }
        return names;
    }

    /** Runs the model and copies what it answers, in the order of its outputs. */
    public Map<String, Datum> run(Map<String, ? extends Datum> inputs) throws OrtException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(ADDRESS, Math.max(1, inputs.size()));
            MemorySegment answers = arena.allocate(ADDRESS, Math.max(1, outputs.size()));
            try {
                int at = 0;
                for (Datum input : inputs.values()) {
                    segment.setAtIndex(ADDRESS, at++, values.give(input, arena));
                }
                api.call(
                        Call.RUN,
                        session,
                        MemorySegment.NULL,
                        texts(List.copyOf(inputs.keySet()), arena),
                        segment,
                        (long) inputs.size(),
                        texts(outputs, arena),
                        (long) outputs.size(),
                        answers);
                var taken = new LinkedHashMap<String, Datum>();
                for (int i = 0; i < outputs.size(); i++) {
                    taken.put(outputs.get(i), values.take(answers.getAtIndex(ADDRESS, i)));
                }
                return taken;
            } finally {
                release(answers, outputs.size());
                release(segment, inputs.size());
            }
        }
    }

    private static MemorySegment texts(List<String> strings, Arena arena) {
        MemorySegment texts = arena.allocate(ADDRESS, Math.max(1, strings.size()));
        for (int i = 0; i < strings.size(); i++) {
            texts.setAtIndex(ADDRESS, i, arena.allocateFrom(strings.get(i)));
        }
        return texts;
    }

    private void release(MemorySegment pointers, int count) {
        for (int i = 0; i < count; i++) {
            api.release(Release.VALUE, pointers.getAtIndex(ADDRESS, i));
        }
    }

    @Override
    public void close() {
        api.release(Release.SESSION, session);
    }
}
