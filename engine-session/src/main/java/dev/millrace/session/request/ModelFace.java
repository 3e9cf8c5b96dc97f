package dev.millrace.session.request;

import dev.millrace.session.ModelMetadata;
import dev.millrace.session.ValueInfo;
import java.util.List;

/** The public description of a model. */
public record ModelFace(List<ValueInfo> inputs, List<ValueInfo> outputs, ModelMetadata metadata) {}
