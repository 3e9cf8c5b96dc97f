package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.code.CodeArena;
import dev.millrace.codegen.code.CodeStore;
import dev.millrace.codegen.code.MachineFunction;
import dev.millrace.codegen.code.RelocatableCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Code that other processes assembled, for kernels that were asked for. When one of them is first called, the code of all that
 * wait becomes callable together: asking the system for pages takes far more time than copying what is to be in them.
 * Safe for use by several threads.
 */
final class KeptCode {
    private final CodeStore store;
    private final CodeArena arena;
    private final Set<String> waiting = new LinkedHashSet<>();
    private final Map<String, MachineFunction> callable = new HashMap<>();

    KeptCode(CodeStore store, CodeArena arena) {
        this.store = store;
        this.arena = arena;
    }

    /** Says that code which the store has will be wanted. */
    synchronized void expect(String name) {
        if (!callable.containsKey(name)) {
            waiting.add(name);
        }
    }

    /** The code of a name that is expected. */
    synchronized MachineFunction get(String name) {
        if (waiting.contains(name)) {
            List<RelocatableCode> blocks = new ArrayList<>();
            for (String each : waiting) {
                blocks.add(Objects.requireNonNull(store.find(each)));
            }
            for (MachineFunction function : arena.install(blocks)) {
                callable.put(function.name(), function);
            }
            waiting.clear();
        }
        return Objects.requireNonNull(callable.get(name));
    }
}
