package dev.millrace.session.runtime;

import dev.millrace.epcontext.CompiledModel;
import dev.millrace.epcontext.ContextGroup;
import dev.millrace.epcontext.ContextModelWriter;
import dev.millrace.epcontext.ContextOutput;
import dev.millrace.epcontext.ContextOutputs;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.Workspaces;
import dev.millrace.graph.PlainText;
import dev.millrace.graph.ir.Model;
import dev.millrace.session.prepare.Prepared;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the compiled parts of one model as a context model of its own, or as a member of a context group. Used once.
 */
final class ContextKeeping {
    private final Workspaces workspaces;
    private final EpContextOptions options;
    private @Nullable ContextGroup group;

    ContextKeeping(Workspaces workspaces, EpContextOptions options) {
        this.workspaces = workspaces;
        this.options = options;
    }

    /**
     * Returns the result of a step. If the step fails, so does the group.
     *
     * @param target the path of the context model, or the file beside which it is written; null
     *     if it is written to no file
     */
    <T> T guarded(@Nullable Path target, Supplier<T> step) {
        try {
            return step.get();
        } catch (RuntimeException | Error e) {
            fail(target, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private void fail(@Nullable Path target, String why) {
        ContextGroup named = options.group();
        if (!options.enable()) {
            return;
        }
        if (named != null) {
            named.fail(why);
        } else if (options.share() && target != null) {
            workspaces.failGroup(target, why);
        }
    }

    /** Throws if a context model of this source could not be written as the session's options ask. */
    void check(Model source) {
        if (options.enable()) {
            ContextModelWriter.checkNotCompiled(source);
            check(source, ContextOutputs.of(options, source));
        }
    }

    /** Throws if a context model of this source could not be written to this output. */
    void check(Model source, ContextOutput output) {
        group = workspaces.group(options, output);
        output.check(source);
    }

    /**
     * Writes the context model that the session's options ask for, and returns its path; null if they ask
     * for none, or nothing was compiled.
     */
    @Nullable
    Path keep(Prepared prepared) {
        if (!options.enable()) {
            return null;
        }
        CompiledModel compiled = prepared.compiled();
        ContextOutput output = ContextOutputs.of(options, compiled.model());
        boolean nothing = compiled.isEmpty();
        if (nothing) {
            System.getLogger(ContextKeeping.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "no provider compiled a part of model '"
                                    + PlainText.line(compiled.model().stem()) + "', so no EP context model is written");
        }
        if (nothing) {
            endGroup();
            return null;
        }
        write(compiled, output, prepared);
        return output.model();
    }

    /** Writes a context model to a file, or adds it to its group, which writes all its members together. */
    void write(CompiledModel compiled, ContextOutput output, Prepared prepared) {
        if (group == null) {
            ContextModelWriter.write(compiled, output);
            return;
        }
        group.add(compiled, output, prepared.kernels());
        endGroup();
    }

    /** Writes the group if this was its last model. */
    private void endGroup() {
        if (group != null && options.stopShare()) {
            group.write();
        }
    }
}
