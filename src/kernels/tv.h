#pragma once
// Rows of the dual iteration for total-variation denoising (solvers/tv.h puts them together).
//
// The dual of a band's gradient is a pair (p, q): p belongs to the difference to the right neighbour, q to the one
// below. Each function works on n pixels of one row. Pointers need no alignment; rows must not overlap unless they are
// the same. The vector and the plain form do the same operations in the same order, so they agree to the last bit.

#include <cstddef>

namespace snapcube::kernels {

/// u = f + weight · div(p, q), div = p[i] − p[i−1] + q[i] − q_above[i]; p[−1] = 0, and q_above null means 0.
void tv_primal_row(const float* f, const float* p, const float* q, const float* q_above, float weight, std::size_t n,
                   float* u);

/// (p, q) += step · ∇u; ∇u = (u[i+1] − u[i], u_below[i] − u[i]), 0 at the last column and where u_below is null.
void tv_ascend_row(const float* u, const float* u_below, float step, std::size_t n, float* p, float* q);

/// Anisotropic: p and q each clipped to [−1, 1].
void tv_clip_row(std::size_t n, float* p, float* q);

/// Isotropic: (p, q) /= max(1, |(p, q)|).
void tv_project_row(std::size_t n, float* p, float* q);

/// Adds this band's share to the 2×2 Gram matrix of all bands' duals: pp += p², pq += p·q, qq += q².
void tv_gram_row(const float* p, const float* q, std::size_t n, float* pp, float* pq, float* qq);

/// Turns the Gram matrix G, in place, into the symmetric matrix T that projects the duals of all bands together:
/// vectorial: T = I / max(1, sqrt(trace G)), the Frobenius ball;
void tv_vectorial_row(std::size_t n, float* pp, float* pq, float* qq);
/// nuclear: T = Σ_k v_k v_kᵀ / max(1, sqrt(e_k)) over the eigenpairs (e_k, v_k) of G, the spectral-norm ball.
void tv_nuclear_row(std::size_t n, float* pp, float* pq, float* qq);

/// (p, q) ← T (p, q).
void tv_couple_row(const float* pp, const float* pq, const float* qq, std::size_t n, float* p, float* q);

/// The same, one pixel after the other, as it would be written on paper.
namespace plain {
void tv_primal_row(const float* f, const float* p, const float* q, const float* q_above, float weight, std::size_t n,
                   float* u);
void tv_ascend_row(const float* u, const float* u_below, float step, std::size_t n, float* p, float* q);
void tv_clip_row(std::size_t n, float* p, float* q);
void tv_project_row(std::size_t n, float* p, float* q);
void tv_gram_row(const float* p, const float* q, std::size_t n, float* pp, float* pq, float* qq);
void tv_vectorial_row(std::size_t n, float* pp, float* pq, float* qq);
void tv_nuclear_row(std::size_t n, float* pp, float* pq, float* qq);
void tv_couple_row(const float* pp, const float* pq, const float* qq, std::size_t n, float* p, float* q);
}  // namespace plain

}  // namespace snapcube::kernels
