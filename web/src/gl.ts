// WebGL2: tiles are textures of 16-bit floats, values become colours in the shader (the formulas of shade.ts).

import { mapTable } from './colour';
import type { Picture } from './layers';
import type { Backend, Patch } from './renderer';
import { mapSteps } from './shade';
import type { Rect } from './view';

const vertexShader = `#version 300 es
uniform vec4 place;   // left, top, right, bottom in clip space
uniform vec4 patch_;  // left, top, right, bottom in the texture
out vec2 at;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  at = mix(patch_.xy, patch_.zw, corner);
  gl_Position = vec4(mix(place.xy, place.zw, corner), 0.0, 1.0);
}`;

const fragmentShader = `#version 300 es
precision highp float;
uniform highp sampler2D first, second, third;
uniform sampler2D map;
uniform int kind;    // 0: map, 1: three channels of one texture, 2: three textures
uniform vec3 low;
uniform vec3 gain;   // 2^exposure / (high - low)
uniform float gamma; // 1 / gamma
uniform float alpha;
in vec2 at;
out vec4 colour;

vec3 encode(vec3 v) {
  v = clamp(v, 0.0, 1.0);
  return mix(12.92 * v, 1.055 * pow(v, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, v));
}

void main() {
  if (kind == 0) {
    float t = pow(clamp((texture(first, at).r - low.r) * gain.r, 0.0, 1.0), gamma);
    float steps = ${mapSteps}.0;
    colour = vec4(texture(map, vec2((t * (steps - 1.0) + 0.5) / steps, 0.5)).rgb, 1.0) * alpha;
    return;
  }
  vec3 v = kind == 1 ? texture(first, at).rgb
                     : vec3(texture(first, at).r, texture(second, at).r, texture(third, at).r);
  colour = vec4(pow(encode((v - low) * gain), vec3(gamma)), 1.0) * alpha;
}`;

function compile(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram()!;
  for (const [type, text] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? 'shader');
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? 'program');
  return program;
}

export class GlBackend implements Backend<WebGLTexture> {
  readonly name = 'WebGL2';
  readonly cost = 4 / 3; // three channels are stored as four
  private readonly uniforms: Record<string, WebGLUniformLocation | null> = {};
  private readonly maps = new Map<string, WebGLTexture>();
  private width = 1;
  private height = 1;

  /** Nothing where the browser has no WebGL2. */
  static create(canvas: HTMLCanvasElement): GlBackend | null {
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, preserveDrawingBuffer: true });
    return gl ? new GlBackend(canvas, gl) : null;
  }

  private constructor(private readonly canvas: HTMLCanvasElement, private readonly gl: WebGL2RenderingContext) {
    this.prepare();
  }

  /** Sets everything up, at the start and after the browser took the graphics away. */
  prepare() {
    const { gl } = this;
    this.maps.clear();
    const program = compile(gl);
    gl.useProgram(program);
    for (const name of ['place', 'patch_', 'first', 'second', 'third', 'map', 'kind', 'low', 'gain', 'gamma', 'alpha']) {
      this.uniforms[name] = gl.getUniformLocation(program, name);
    }
    ['first', 'second', 'third', 'map'].forEach((name, unit) => gl.uniform1i(this.uniforms[name], unit));
    gl.bindVertexArray(gl.createVertexArray());
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.enable(gl.SCISSOR_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  upload(values: Uint16Array, width: number, height: number, channels: number): WebGLTexture {
    const { gl } = this;
    const texture = this.texture(gl.NEAREST);
    const [inner, format] = channels === 3 ? [gl.RGB16F, gl.RGB] : [gl.R16F, gl.RED];
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, gl.HALF_FLOAT, values);
    return texture;
  }

  release(texture: WebGLTexture) {
    this.gl.deleteTexture(texture);
  }

  begin(width: number, height: number, [r, g, b]: [number, number, number]) {
    const { gl, canvas } = this;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    this.width = width;
    this.height = height;
    gl.viewport(0, 0, width, height);
    gl.scissor(0, 0, width, height);
    gl.clearColor(r, g, b, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  clip({ left, top, width, height }: Rect) {
    const right = Math.round(left + width);
    const bottom = Math.round(top + height);
    this.gl.scissor(Math.round(left), this.height - bottom, Math.max(right - Math.round(left), 0), Math.max(bottom - Math.round(top), 0));
  }

  draw(tiles: WebGLTexture[], patch: Patch, to: Rect, picture: Picture, smooth: boolean, alpha: number) {
    const { gl, uniforms } = this;
    const map = this.map(picture); // first: making one binds it
    tiles.forEach((texture, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
      const filter = smooth ? gl.LINEAR : gl.NEAREST;
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    });
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, map);
    const range = (i: number) => picture.ranges[Math.min(i, picture.ranges.length - 1)];
    const gain = (i: number) => {
      const span = range(i).high - range(i).low;
      return 2 ** picture.tone.exposure / ((span > 0 ? span : 1) * picture.unit);
    };
    const x = (v: number) => (2 * v) / this.width - 1;
    const y = (v: number) => 1 - (2 * v) / this.height;
    gl.uniform1i(uniforms.kind, { map: 0, rgb: 1, three: 2 }[picture.kind]);
    gl.uniform3f(uniforms.low, ...([0, 1, 2].map((i) => range(i).low * picture.unit) as [number, number, number]));
    gl.uniform3f(uniforms.gain, ...([0, 1, 2].map(gain) as [number, number, number]));
    gl.uniform1f(uniforms.gamma, 1 / picture.tone.gamma);
    gl.uniform1f(uniforms.alpha, alpha);
    gl.uniform4f(uniforms.place, x(to.left), y(to.top), x(to.left + to.width), y(to.top + to.height));
    gl.uniform4f(uniforms.patch_, patch.left, patch.top, patch.right, patch.bottom);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  end() {
    this.gl.flush();
  }

  private texture(filter: number): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture()!;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const axis of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, axis, gl.CLAMP_TO_EDGE);
    for (const which of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, which, filter);
    return texture;
  }

  private map({ map, nm }: Picture): WebGLTexture {
    const key = map === 'tint' ? `tint ${nm}` : map;
    let texture = this.maps.get(key);
    if (!texture) {
      const { gl } = this;
      texture = this.texture(gl.LINEAR);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, mapSteps, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, mapTable(map, mapSteps, nm));
      this.maps.set(key, texture);
    }
    return texture;
  }
}
