/// A model server: the Open Inference Protocol by REST and gRPC, and OpenAI's endpoints.
module dev.millrace.server {
    requires com.google.protobuf;
    requires com.google.protobuf.util;
    requires dev.millrace.inspect;
    requires dev.millrace.memory;
    requires dev.millrace.micrometer;
    requires dev.millrace.pipelines;
    requires dev.millrace.text;
    requires io.grpc;
    requires io.grpc.netty;
    requires io.grpc.protobuf;
    requires io.grpc.services;
    requires io.grpc.stub;
    requires io.netty.transport;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.handler;
    requires micrometer.commons;
    requires micrometer.core;
    requires transitive micrometer.observation;
    requires micrometer.registry.prometheus;
    requires reactor.netty.core;
    requires reactor.netty.http;
    requires tools.jackson.core;
    requires transitive dev.millrace.models;
    requires transitive dev.millrace.session;
    requires static transitive org.jspecify;

    exports dev.millrace.server;
    exports dev.millrace.server.source;

    uses dev.millrace.server.source.ModelSource;
}
