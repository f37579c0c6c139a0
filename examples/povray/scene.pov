// A still life for measuring a parallel render: 2,500 small spheres on a swept spiral, some of glass, some of metal.
// Cheap sky above, deep reflections in the middle: the tiles take very different times, as those of a real picture do.
#version 3.7;
global_settings { assumed_gamma 1.0 max_trace_level 20 }
#declare Dice = seed(2008);
camera { location <0, 5.5, -11> look_at <0, 0.6, 0> angle 42 }
light_source { <8, 14, -9> color rgb <1.0, 0.95, 0.85> area_light <2, 0, 0>, <0, 0, 2>, 5, 5 adaptive 1 jitter }
light_source { <-10, 9, -4> color rgb <0.25, 0.3, 0.4> shadowless }
sky_sphere { pigment { gradient y color_map { [0.0 rgb <0.75, 0.82, 0.9>] [0.6 rgb <0.2, 0.35, 0.65>] } } }
plane { y, 0
  pigment { checker color rgb <0.85, 0.83, 0.78>, color rgb <0.35, 0.4, 0.42> scale 0.8 }
  finish { reflection { 0.12 } diffuse 0.75 }
}
#declare Glass = texture {
  pigment { color rgbf <0.93, 0.98, 0.96, 0.92> }
  finish { specular 0.8 roughness 0.003 reflection { 0.05, 0.9 fresnel on } conserve_energy }
}
#declare Metal = texture {
  pigment { color rgb <0.85, 0.68, 0.38> }
  finish { metallic diffuse 0.35 specular 0.7 roughness 0.02 reflection { 0.55 metallic } }
}
#declare Index = 0;
#while (Index < 2500)
  #local Turn = Index * 0.0305;
  #local Reach = 0.35 + 3.4 * pow(Index / 2500, 0.75);
  #local Place = <Reach * cos(Turn) + 0.25 * rand(Dice), 0.12 + 2.6 * exp(-0.75 * Reach) + 0.5 * rand(Dice),
                  Reach * sin(Turn) + 0.25 * rand(Dice)>;
  #local Size = 0.08 + 0.16 * rand(Dice);
  #if (mod(Index, 3) = 0)
    sphere { Place, Size texture { Glass } interior { ior 1.45 } }
  #else
    #if (mod(Index, 3) = 1)
      sphere { Place, Size texture { Metal } }
    #else
      sphere { Place, Size
        pigment { color rgb <0.3 + 0.6 * rand(Dice), 0.3 + 0.4 * rand(Dice), 0.35 + 0.5 * rand(Dice)> }
        finish { phong 0.6 diffuse 0.8 }
      }
    #end
  #end
  #declare Index = Index + 1;
#end
